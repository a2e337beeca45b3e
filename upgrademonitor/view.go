package upgrademonitor

import (
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/api"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// view has the Node and the listed object at one moment.
type view struct {
	number  int64  // views are numbered in the order in which they start
	version string // the resourceVersion of the Node
	node    plan.Node
	err     error // of Config.Node
	poolErr error // of Config.Pool
	lists   bool  // there is a Lister, and it works
	listed  *mcfgv1.MachineConfigNode
}

// seen is the newest view so far.
type seen struct {
	number  int64
	started int64 // views that had started when this view was passed to the core
	version string
	err     error
}

// look takes a view: it calls the functions of Config and the Lister.
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
	m.failures.Local(m.life, annotationFailure, invalid, "Ignoring an invalid annotation of the Node", "The annotations of the Node are valid again")
	v.listed, v.lists = m.list()
	return v
}

// seeLocked passes a view to the core, unless an overlapping view is newer: a view of a newer Node
// or, if resourceVersions are equal or cannot be compared, a view that started later. A view that
// started after the last view was passed is newer, even if its Node is older, as after etcd was
// restored.
func (m *Monitor) seeLocked(v view) {
	if v.number <= m.seen.started {
		order := 0
		if v.version != m.seen.version {
			order, _ = resourceversion.CompareResourceVersion(v.version, m.seen.version) // 0 with an error
		}
		if order < 0 || order == 0 && v.number < m.seen.number {
			return
		}
	}
	m.seen = seen{v.number, m.looks.Load(), v.version, v.err}
	if v.err != nil {
		return
	}
	known := core.View{Node: v.node, Expired: realClock.Now().Sub(m.writer.confirmed) >= checkInterval}
	switch {
	case v.listed != nil:
		o := api.FromTyped(v.listed)
		known.Lists, known.Listed = true, &o
	case v.node.Provisioned: // for other Nodes, the object must not be created again
		known.Lists = v.lists
	}
	m.core.See(known)
}

// followLocked passes a view to the core. If the Node's versions (its config and image annotations)
// have changed, it submits them as a change.
func (m *Monitor) followLocked(v view) {
	m.seeLocked(v)
	if v.err == nil {
		m.acceptLocked(m.core.Follow())
	}
}

// node calls Config.Node. A Node with another name is out of scope.
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

// pool returns the pool of a Node, or NotYetSet if it is not known.
func (m *Monitor) pool(node *corev1.Node) (string, error) {
	pool, err := m.config.Pool(node)
	if err == nil && pool != "" && !validate.IsName(pool) {
		err = field.Invalid(field.NewPath("pool"), pool, "must be the name of a MachineConfigPool")
	}
	if err != nil {
		err = &NodeError{NodeName: m.config.NodeName, Problem: "Config.Pool failed", Err: err}
	}
	m.failures.Local(m.life, poolFailure, err, "Failed to get the pool of the Node, keeping the known pool", "The pool of the Node is known again")
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

// list returns the object in the Lister, or nil. It returns false if there is no Lister, or if the
// Lister fails or returns another object.
func (m *Monitor) list() (*mcfgv1.MachineConfigNode, bool) {
	if m.config.Lister == nil {
		return nil, false
	}
	object, err := m.config.Lister.Get(m.config.NodeName)
	switch {
	case apierrors.IsNotFound(err):
		return nil, true
	case err == nil && object == nil:
		return nil, false
	case err == nil && object.Name != m.config.NodeName:
		err = fmt.Errorf("%w: the Lister returned MachineConfigNode %q: pass the Lister of an informer that has not changed its objects", scope.ErrOutOfScope, object.Name)
	}
	m.failures.Local(m.life, listerFailure, err, "Ignoring the Lister", "Using the Lister again")
	if err != nil {
		return nil, false
	}
	return object, true
}

// mayCreate returns an error if the object of a Node must not be created, because the newest look
// at the Node has failed, or the Node is not provisioned.
func (m *Monitor) mayCreate(n plan.Node) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen.err == nil && !n.Provisioned {
		return &NodeError{NodeName: m.config.NodeName, Problem: "a Node that is not provisioned has no MachineConfigNode"}
	}
	return m.seen.err
}
