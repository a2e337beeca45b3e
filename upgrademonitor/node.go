package upgrademonitor

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/scope"
)

const annotationPrefix = "machineconfiguration.openshift.io/"

// The annotations of a Node that say which config it runs and which it is to run.
const (
	CurrentConfigAnnotation = annotationPrefix + "currentConfig"
	DesiredConfigAnnotation = annotationPrefix + "desiredConfig"
)

// versions is what the annotations of a Node say; "" where one is absent.
type versions struct {
	currentConfig, desiredConfig string
}

// target is what a node is to be updated to.
type target struct {
	config string
}

func (v versions) target() target {
	return target{config: v.desiredConfig}
}

// node returns the daemon's view of its node. Another node is out of scope.
func (m *Monitor) node() (*corev1.Node, error) {
	node, err := m.config.Node()
	switch {
	case err != nil:
		return nil, &NodeError{NodeName: m.config.NodeName, Problem: "Config.Node failed", Err: err}
	case node == nil:
		return nil, &NodeError{NodeName: m.config.NodeName, Problem: "Config.Node returned no node"}
	case node.Name != m.config.NodeName:
		return nil, &NodeError{NodeName: m.config.NodeName, Problem: "Config.Node returned another node",
			Err: fmt.Errorf("%w: it returned %q", scope.ErrOutOfScope, node.Name)}
	}
	return node, nil
}

// versionsOf reads the annotations of a node. A value that the CRD would reject counts as
// absent, so that the rest can be reported.
func versionsOf(ctx context.Context, node *corev1.Node) versions {
	config := func(annotation string) string {
		value := node.Annotations[annotation]
		if value == "" {
			return ""
		}
		if problems := validation.IsDNS1123Subdomain(value); len(problems) > 0 {
			klog.FromContext(ctx).Info("Left out a config annotation that is no name", "node", node.Name, "annotation", annotation, "problems", problems)
			return ""
		}
		return value
	}
	return versions{
		currentConfig: config(CurrentConfigAnnotation),
		desiredConfig: config(DesiredConfigAnnotation),
	}
}
