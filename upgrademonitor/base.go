package upgrademonitor

import (
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/phases"
)

// known returns what is known of the object, and whether anything is: the object of the
// last write or read, or the Lister's where that is newer. Callers hold m.mu.
func (m *Monitor) known() (state, bool) {
	if !m.doubted {
		if listed := m.listed(); listed != nil && newer(listed, m.object) {
			m.keep(listed, m.begun)
		}
	}
	return state{object: m.object, begun: m.begun, noImages: m.noImages}, m.object != nil
}

// listed returns the object as the Lister has it, nil where it has none.
func (m *Monitor) listed() *mcfgv1.MachineConfigNode {
	if m.config.Lister == nil {
		return nil
	}
	object, err := m.config.Lister.Get(m.config.NodeName)
	if err != nil {
		return nil
	}
	return object
}

// newer reports whether a is to be preferred to b as what the next write is computed from.
func newer(a, b *mcfgv1.MachineConfigNode) bool {
	if b == nil {
		return true
	}
	order, err := resourceversion.CompareResourceVersion(a.ResourceVersion, b.ResourceVersion)
	return err == nil && order > 0
}

// plan plans an intent on what is known. It reports too whether the node says something new
// in the intent, so that a refusal or a no-op is not to be decided on that.
func (m *Monitor) plan(in intent) (p plan, undecided bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.known()
	if !ok {
		return plan{}, false, fmt.Errorf("MachineConfigNode %s: not read yet", m.config.NodeName)
	}
	undecided = !m.hasSeen(in)
	p, err = in.plan(s)
	if !undecided {
		within(in, s)
	}
	return p, undecided, err
}

// within takes note of a report that was made within an update: it begins no other one,
// should that update be over by the time it is written. Callers hold m.mu.
func within(in intent, s state) {
	if r, ok := in.(*report); ok && !s.isTrue(phases.Updated) {
		r.within = true
	}
}

// hasSeen reports whether the node said in the last write or read what it says in the
// intent. Callers hold m.mu.
func (m *Monitor) hasSeen(in intent) bool {
	return m.seen != nil && *m.seen == in.observed()
}

// inDoubt reports whether the object has to be read before a write can be computed.
func (m *Monitor) inDoubt() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.known()
	return !ok || m.doubted
}

// doubt makes the next write start from a read: others may have written, or the last write
// may have been made without an answer. What is known still serves to decide what to accept.
func (m *Monitor) doubt() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.doubted = true
}

// read asks the API server for the object, and creates it where it is missing.
func (m *Monitor) read(ctx context.Context, in intent) error {
	object, err := m.client.Get(ctx, m.config.NodeName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		object, err = m.create(ctx)
	}
	if err != nil {
		err = fmt.Errorf("MachineConfigNode %s: read: %w", m.config.NodeName, err)
		if apierrors.IsAlreadyExists(err) {
			return overtaken{err}
		}
		return err
	}
	m.mu.Lock()
	begun := m.begun
	m.mu.Unlock()
	m.learn(object, begun, in)
	return nil
}

// learn takes in the object of a read or write that was made for the intent.
func (m *Monitor) learn(object *mcfgv1.MachineConfigNode, begun update, in intent) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(object, begun)
	m.doubted = false
	seen := in.observed()
	m.seen = &seen
}

// remember takes in an update that began, or ended, without a write.
func (m *Monitor) remember(begun update) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begun = begun
}

// keep holds on to an object, less what is never asked for. Callers hold m.mu.
func (m *Monitor) keep(object *mcfgv1.MachineConfigNode, begun update) {
	kept := *object
	kept.ManagedFields = nil
	m.object, m.begun = &kept, begun
	if (state{object: m.object}).isTrue(phases.Updated) {
		m.begun = update{}
	}
}
