package upgrademonitor

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/scope"
)

const annotationPrefix = "machineconfiguration.openshift.io/"

// The annotations of a Node that say what it runs and what it is to run.
const (
	CurrentConfigAnnotation = annotationPrefix + "currentConfig"
	DesiredConfigAnnotation = annotationPrefix + "desiredConfig"
	CurrentImageAnnotation  = annotationPrefix + "currentImage"
	DesiredImageAnnotation  = annotationPrefix + "desiredImage"
)

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
