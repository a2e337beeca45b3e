package upgrademonitor

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/scoped"
	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// view returns the daemon's view of its node. A pool that is not known, or for which Config.Pool
// failed, is NotYetSet.
func (m *Monitor) view(ctx context.Context) (n plan.Node, poolErr, err error) {
	node, err := m.node()
	m.mu.Lock()
	m.viewErr = err
	m.mu.Unlock()
	if err != nil {
		return plan.Node{}, nil, err
	}
	pool, poolErr := m.pool(ctx, node)
	n, invalid := plan.NewNode(node, pool, m.mode())
	if invalid != nil {
		m.failures.FailedOtherwise(ctx, annotationFailure, invalid, "Ignoring an invalid annotation of the Node")
	} else {
		m.failures.Recovered(ctx, annotationFailure, "The annotations of the Node are valid again")
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
			Err: fmt.Errorf("%w: it returned %q", scoped.ErrOutOfScope, node.Name)}
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
		m.failures.Failed(ctx, poolFailure, err, "Failed to get the pool of the Node, leaving it as it is")
		return NotYetSet, err
	}
	m.failures.Recovered(ctx, poolFailure, "The pool of the Node is known again")
	if pool == "" {
		pool = NotYetSet
	}
	return pool, nil
}
