package upgrademonitor

import (
	"errors"
	"fmt"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// view has the Node, and the object in the Lister, read at the same moment.
type view struct {
	version string // the resourceVersion of the Node
	node    plan.Node
	err     error // the error of Config.Node
	poolErr error // the error of Config.Pool

	listerWorks bool                      // set if there is a Lister, and it did not fail
	listed      *mcfgv1.MachineConfigNode // the object in the Lister, or nil
}

// look reads a view. If Config.Node has not failed, look passes the view to the core, unless the core
// has a newer view.
func (m *Monitor) look() view {
	started := realClock.Now()
	v := m.read()
	if v.err != nil {
		return v
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.isOutdatedLocked(v, started) {
		m.recordLocked(v)
	}
	return v
}

// read calls Config's functions and the Lister, and returns their results as a view.
func (m *Monitor) read() (v view) {
	node, err := m.node()
	if err != nil {
		return view{err: err}
	}
	v.version = node.ResourceVersion
	var pool string
	pool, v.poolErr = m.pool(node)
	var invalid error
	v.node, invalid = plan.NewNode(node, pool, m.mode())
	v.node.ConditionsOnly = m.conditionsOnly
	m.failures.Local(m.life, "annotations", invalid,
		"Ignoring an invalid annotation of the Node", "The annotations of the Node are valid again")
	v.listed, v.listerWorks = m.list()
	return v
}

// isOutdatedLocked reports whether another look has recorded a newer Node while this look was in
// progress. If this look started later, its Node is newer even if the resourceVersion is lower, for
// example after etcd was restored.
func (m *Monitor) isOutdatedLocked(v view, started time.Time) bool {
	if started.After(m.recorded) {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(v.version, m.nodeVersion)
	return err == nil && order < 0
}

// recordLocked passes a view to the core.
func (m *Monitor) recordLocked(v view) {
	now := realClock.Now()
	m.recorded = now
	m.nodeVersion = v.version
	known := core.View{Node: v.node, Expired: now.Sub(m.lastSuccess) >= checkInterval}
	// If the Node is not provisioned, a missing object must not be created again.
	known.Lists = v.listerWorks && (v.listed != nil || v.node.Provisioned)
	if v.listed != nil {
		o := core.FromTyped(v.listed)
		known.Listed = &o
	}
	m.core.See(known)
}

// node returns the Node from Config.Node. The error is a *NodeError.
func (m *Monitor) node() (*corev1.Node, error) {
	node, err := m.config.Node()
	switch {
	case err != nil:
		return nil, &NodeError{NodeName: m.config.NodeName, Problem: "Config.Node failed", Err: err}
	case node == nil:
		return nil, &NodeError{NodeName: m.config.NodeName, Problem: "Config.Node returned no node"}
	case node.Name != m.config.NodeName:
		err := fmt.Errorf("%w: it returned %q", scope.ErrOutOfScope, node.Name)
		return nil, &NodeError{NodeName: m.config.NodeName, Problem: "Config.Node returned another node", Err: err}
	}
	return node, nil
}

// pool returns the pool of a Node, or NotYetSet if the pool is not known.
func (m *Monitor) pool(node *corev1.Node) (string, error) {
	pool, err := m.config.Pool(node)
	if err == nil && pool != "" && !validate.IsName(pool) {
		err = field.Invalid(field.NewPath("pool"), pool, "must be the name of a MachineConfigPool")
	}
	if err != nil {
		err = &NodeError{NodeName: m.config.NodeName, Problem: "Config.Pool failed", Err: err}
	}
	m.failures.Local(m.life, "pool", err,
		"Failed to get the pool of the Node, keeping the pool in the spec", "The pool of the Node is known again")
	if err != nil || pool == "" {
		pool = nodemeta.NotYetSet
	}
	return pool, err
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

// list returns the object in the Lister, or nil if the Lister does not have the object. The result
// works is false if there is no Lister, or if the Lister fails or returns another object.
func (m *Monitor) list() (object *mcfgv1.MachineConfigNode, works bool) {
	if m.config.Lister == nil {
		return nil, false
	}
	object, err := m.config.Lister.Get(m.config.NodeName)
	switch {
	case apierrors.IsNotFound(err):
		object, err = nil, nil
	case err != nil:
	case object == nil:
		err = errors.New("the Lister returned no object and no error")
	case object.Name != m.config.NodeName:
		err = fmt.Errorf("%w: the Lister returned MachineConfigNode %q: "+
			"pass a Lister that returns the object with the requested name", scope.ErrOutOfScope, object.Name)
	}
	m.failures.Local(m.life, "Lister", err, "Ignoring the Lister because it failed", "Using the Lister again")
	if err != nil {
		return nil, false
	}
	return object, true
}

// checkRequest returns an error if this process must not make a request:
//
//  1. A report that waits for the daemon (core.Wait) makes no request.
//  2. A controller does not create the object.
//  3. A daemon does not create the object if Config.Node fails, or if the Node is not provisioned
//     yet.
func (m *Monitor) checkRequest(r core.Request) error {
	name := m.config.NodeName
	switch {
	case r.Verb == core.Wait:
		return &NodeError{NodeName: name, Problem: "the report waits for the daemon", Err: plan.ErrNotStarted}
	case r.Verb != core.Create:
		return nil
	case m.conditionsOnly:
		return &NodeError{NodeName: name, Problem: "the daemon has not created the MachineConfigNode yet"}
	}
	node, err := m.node()
	if err == nil && !nodemeta.IsProvisioned(node) {
		err = &NodeError{NodeName: name, Problem: "the MachineConfigNode is not created before the Node is provisioned"}
	}
	return err
}
