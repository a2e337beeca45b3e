package upgrademonitor

import (
	"errors"
	"fmt"

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

// view has the Node, and the object in the Lister, at one moment.
type view struct {
	number  int64  // calls of look are numbered in the order in which they start
	version string // the resourceVersion of the Node
	node    plan.Node
	err     error                     // the error of Config.Node
	poolErr error                     // the error of Config.Pool
	lists   bool                      // there is a Lister, and it works
	listed  *mcfgv1.MachineConfigNode // the object in the Lister, or nil
}

// seen describes the newest view that seeLocked got.
type seen struct {
	number  int64
	started int64 // how many looks had started when seeLocked got the view
	version string
	err     error
}

// look calls Config's functions and the Lister, and returns their results as a view.
func (m *Monitor) look() view {
	v := view{number: m.looks.Add(1)}
	node, err := m.node()
	if err != nil {
		v.err = err
		return v
	}
	v.version = node.ResourceVersion
	var pool string
	pool, v.poolErr = m.pool(node)
	var invalid error
	v.node, invalid = plan.NewNode(node, pool, m.mode())
	v.node.ConditionsOnly = m.conditionsOnly
	m.failures.Local(m.life, "annotations", invalid, "Ignoring an invalid annotation of the Node", "The annotations of the Node are valid again")
	v.listed, v.lists = m.list()
	return v
}

// seeLocked passes a view to the core, unless the core has a newer view. A view whose look started
// after the core got its view is newer, even if its Node has a lower resourceVersion, for example
// after etcd was restored. Of overlapping views, the view with the higher resourceVersion is newer.
// If these are equal or cannot be compared, the view whose look started later is newer.
func (m *Monitor) seeLocked(v view) {
	if v.number <= m.seen.started {
		order := 0
		if v.version != m.seen.version {
			order, _ = resourceversion.CompareResourceVersion(v.version, m.seen.version) // 0 if they cannot be compared
		}
		if order < 0 || order == 0 && v.number < m.seen.number {
			return
		}
	}
	m.seen = seen{v.number, m.looks.Load(), v.version, v.err}
	if v.err != nil {
		return
	}
	known := core.View{Node: v.node, Expired: realClock.Now().Sub(m.confirmed) >= checkInterval}
	switch {
	case v.listed != nil:
		o := core.FromTyped(v.listed)
		known.Lists, known.Listed = true, &o
	case v.node.Provisioned: // if the Node is not provisioned, a missing object must not be created again
		known.Lists = v.lists
	}
	m.core.See(known)
}

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

// pool returns the pool of a Node, or NotYetSet if the pool is not known.
func (m *Monitor) pool(node *corev1.Node) (string, error) {
	pool, err := m.config.Pool(node)
	if err == nil && pool != "" && !validate.IsName(pool) {
		err = field.Invalid(field.NewPath("pool"), pool, "must be the name of a MachineConfigPool")
	}
	if err != nil {
		err = &NodeError{NodeName: m.config.NodeName, Problem: "Config.Pool failed", Err: err}
	}
	m.failures.Local(m.life, "pool", err, "Failed to get the pool of the Node, keeping the pool in the spec", "The pool of the Node is known again")
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

// list returns the object in the Lister, or nil if the Lister does not have the object. It returns
// false if there is no Lister, or if the Lister fails or returns another object.
func (m *Monitor) list() (*mcfgv1.MachineConfigNode, bool) {
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
		err = fmt.Errorf("%w: the Lister returned MachineConfigNode %q: pass a Lister that returns the object with the requested name", scope.ErrOutOfScope, object.Name)
	}
	m.failures.Local(m.life, "Lister", err, "Ignoring the Lister because it failed", "Using the Lister again")
	if err != nil {
		return nil, false
	}
	return object, true
}

// refusal returns why this process must not make a request, or nil: it creates no object if it is a
// controller, if Config.Node failed in the newest view, or if the Node is not provisioned.
func (m *Monitor) refusal(r core.Request) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := m.config.NodeName
	switch {
	case r.Verb == core.Wait:
		return &NodeError{NodeName: name, Problem: "the report waits for the daemon", Err: plan.ErrNotStarted}
	case r.Verb != core.Create:
		return nil
	case m.conditionsOnly:
		return &NodeError{NodeName: name, Problem: "the daemon has not created the MachineConfigNode yet"}
	case m.seen.err != nil:
		return m.seen.err
	case !r.Node.Provisioned:
		return &NodeError{NodeName: name, Problem: "the MachineConfigNode is not created before the Node is provisioned"}
	}
	return nil
}
