package upgrademonitor

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// view returns the daemon's view of its node. A pool that is not known, or for which Config.Pool
// failed, is NotYetSet.
func (m *Monitor) view(ctx context.Context) (n plan.Node, poolErr, err error) {
	node, err := m.node()
	if err != nil {
		return plan.Node{}, nil, err
	}
	pool, poolErr := m.pool(ctx, node)
	n, warnings := plan.NewNode(node, pool, m.mode())
	if len(warnings) > 0 {
		err := field.Invalid(field.NewPath("metadata", "annotations").Key(warnings[0].Annotation), warnings[0].Value, "the CRD rejects it")
		m.annotationFailures.FailedOtherwise(ctx, err, "Ignoring an invalid annotation of the Node", "node", m.config.NodeName)
	} else {
		m.recovered(ctx, &m.annotationFailures, "The annotations of the Node are valid again")
	}
	return n, poolErr, nil
}

func (m *Monitor) mode() plan.Mode {
	switch {
	case m.config.ImageMode == nil:
		return plan.ModeOfObject
	case m.config.ImageMode():
		return plan.Image
	default:
		return plan.Standard
	}
}

// node returns the daemon's Node. Another node is out of scope.
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

func (m *Monitor) pool(ctx context.Context, node *corev1.Node) (string, error) {
	pool, err := m.config.Pool(node)
	if err == nil && pool != "" && !validate.IsName(pool) {
		err = field.Invalid(field.NewPath("pool"), pool, "must be the name of a MachineConfigPool")
	}
	if err != nil {
		err = &NodeError{NodeName: m.config.NodeName, Problem: "Config.Pool failed", Err: err}
		m.poolFailures.Failed(ctx, err, "Failed to get the pool of the Node, leaving it as it is")
		return NotYetSet, err
	}
	m.recovered(ctx, &m.poolFailures, "The pool of the Node is known again")
	if pool == "" {
		pool = NotYetSet
	}
	return pool, nil
}

// viewToCreate is the view of a Node for which an object may be created: it exists, and is past
// provisioning.
func (m *Monitor) viewToCreate(ctx context.Context) (plan.Node, error) {
	node, err := m.node()
	if err != nil {
		return plan.Node{}, err
	}
	if !nodeowner.IsProvisioned(node) {
		return plan.Node{}, &NodeError{NodeName: m.config.NodeName, Problem: fmt.Sprintf("it is %s, and has no MachineConfigNode before it is provisioned", node.Status.Phase)}
	}
	n, _, err := m.view(ctx)
	return n, err
}
