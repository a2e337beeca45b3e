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

// known returns what the next write is computed from, and whether anything is known: the
// object of the last write or read, or the Lister's where that is newer. Callers hold m.mu.
func (m *Monitor) known() (state, bool) {
	if !m.mustRead {
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

// plan plans an intent on what is known.
func (m *Monitor) plan(in intent) ([]write, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.known()
	if !ok {
		return nil, fmt.Errorf("MachineConfigNode %s: not read yet", m.config.NodeName)
	}
	return in.plan(s)
}

// fresh reports whether the node says something new in the intent.
func (m *Monitor) fresh(in intent) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return in.observed() != m.seen
}

// ensure makes sure that something is known: it reads the object, and creates it where it
// is missing.
func (m *Monitor) ensure(ctx context.Context, in intent) error {
	m.mu.Lock()
	_, ok := m.known()
	m.mu.Unlock()
	if ok {
		return nil
	}
	return m.read(ctx, in)
}

// read asks the API server for the object, and creates it where it is missing.
func (m *Monitor) read(ctx context.Context, in intent) error {
	object, err := m.client.Get(ctx, m.config.NodeName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		object, err = m.create(ctx)
	}
	if err != nil {
		return fmt.Errorf("MachineConfigNode %s: read: %w", m.config.NodeName, err)
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
	m.mustRead = false
	m.seen = in.observed()
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

// forget makes the next write start from a read.
func (m *Monitor) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.object, m.mustRead = nil, true
}
