package upgrademonitor

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeannotation"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// NotYetSet stands for a pool or a config that is not known yet.
const NotYetSet = plan.NotYetSet

// The annotations of a Node that name what it runs and what it is to run.
const (
	CurrentConfigAnnotation = nodeannotation.CurrentConfig
	DesiredConfigAnnotation = nodeannotation.DesiredConfig
	CurrentImageAnnotation  = nodeannotation.CurrentImage
	DesiredImageAnnotation  = nodeannotation.DesiredImage
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

// provisionedNode is node for what an object is created for: a Node that is not provisioned yet
// has none.
func (m *Monitor) provisionedNode() (*corev1.Node, error) {
	node, err := m.node()
	if err == nil && !nodeowner.IsProvisioned(node) {
		return nil, &NodeError{NodeName: m.config.NodeName, Problem: fmt.Sprintf("it is %s, and has no MachineConfigNode before it is provisioned", node.Status.Phase)}
	}
	return node, err
}

// readNode reads the annotations of a Node, and logs those that the CRD rejects.
func readNode(ctx context.Context, node *corev1.Node, imageMode bool) plan.Node {
	n, warnings := plan.ReadNode(node.Annotations, imageMode)
	for _, w := range warnings {
		klog.FromContext(ctx).Info("Ignoring invalid node annotation", "node", node.Name, "annotation", w.Annotation, "value", w.Value)
	}
	return n
}
