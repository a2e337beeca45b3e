package upgrademonitor

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// view has the Node of the latest look, and orders the looks, because a look may end after another one that
// has started later.
type view struct {
	node     planner.Node
	begun    int    // the number of looks that have begun
	started  int    // the number of the look that was recorded last
	recorded int    // begun at that time: looks up to this number may have overlapped with it
	version  string // the resourceVersion of its Node
}

// record records a look, unless it is outdated: a look with a newer Node was recorded while it was in
// progress. The resourceVersions say which Node is newer or, if they cannot be compared, the starts of
// the looks.
func (v *view) record(started int, version string) bool {
	order, err := resourceversion.CompareResourceVersion(version, v.version)
	isOlder := err == nil && order < 0 || err != nil && started < v.started
	if isOlder && started <= v.recorded {
		return false
	}
	v.started, v.recorded, v.version = started, v.begun, version
	return true
}

// look calls Config's functions and the Lister, and passes the Node and the object to the core.
func (m *Monitor) look() error {
	m.mu.Lock()
	m.view.begun++
	started := m.view.begun
	m.mu.Unlock()
	node, err := m.node()
	m.logChange("Failed to get the Node, so its configs and images are not written", err)
	if err != nil {
		return err
	}
	n, invalid := planner.NewNode(node, m.pool(node), m.mode())
	m.logChange("Ignoring an invalid annotation of the Node", invalid)
	listed, works := m.list()
	works = works && (listed != nil || n.Provisioned) // an object is created only for a provisioned Node
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.view.record(started, node.ResourceVersion) {
		m.view.node = n
		m.core.See(listed, works)
	}
	return nil
}

// node returns the Node from Config.Node.
func (m *Monitor) node() (*corev1.Node, error) {
	node, err := m.config.Node()
	switch {
	case err != nil:
		return nil, fmt.Errorf("node %s: Config.Node failed: %w", m.config.NodeName, err)
	case node == nil:
		return nil, fmt.Errorf("node %s: Config.Node returned no node", m.config.NodeName)
	case node.Name != m.config.NodeName:
		return nil, fmt.Errorf("node %s: %w: Config.Node returned %q", m.config.NodeName, scope.ErrOutOfScope, node.Name)
	}
	return node, nil
}

// pool returns the pool of a Node, or NotYetSet if the pool is not known.
func (m *Monitor) pool(node *corev1.Node) string {
	pool, err := m.config.Pool(node)
	if err == nil && pool != "" && !nodemeta.IsName(pool) {
		err = field.Invalid(field.NewPath("pool"), pool, "must be the name of a MachineConfigPool")
	}
	m.logChange("Failed to get the pool of the Node, keeping the pool in the spec", err)
	if err != nil || pool == "" {
		return NotYetSet
	}
	return pool
}

func (m *Monitor) mode() planner.Mode {
	switch {
	case m.config.ImageMode == nil:
		return planner.ModeOfObject
	case m.config.ImageMode():
		return planner.Image
	default:
		return planner.Standard
	}
}

// list returns the object in the Lister, or nil if the Lister does not have the object. The result
// works is false if there is no Lister, or if the Lister fails.
func (m *Monitor) list() (object *planner.Object, works bool) {
	if m.config.Lister == nil {
		return nil, false
	}
	mcn, err := m.config.Lister.Get(m.config.NodeName)
	isMissing := apierrors.IsNotFound(err)
	if isMissing {
		err = nil
	} else if err == nil && (mcn == nil || mcn.Name != m.config.NodeName) {
		err = fmt.Errorf("%w: the Lister returned another object", scope.ErrOutOfScope)
	}
	m.logChange("Ignoring the Lister because it failed", err)
	if err != nil || isMissing {
		return nil, isMissing
	}
	o := planner.FromTyped(mcn)
	return &o, true
}
