package upgrademonitor

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// needsRead reports whether the object is to be read before a write can be planned, given the one
// of the Lister.
func (s *store) needsRead(object *mcfgv1.MachineConfigNode) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh(object)
	return s.base.needsRead()
}

// isGone reports whether the object that was known was deleted, as the Lister shows, or has not
// got its status back yet.
func (s *store) isGone(object *mcfgv1.MachineConfigNode) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh(object)
	return s.base.gone || s.base.lost || s.isUnlisted(object)
}

// refresh brings what is known up to date with what the Lister has, and with time. Callers hold
// s.mu.
func (s *store) refresh(object *mcfgv1.MachineConfigNode) {
	switch {
	case !s.hasLister:
	case object == nil:
		s.base.observeUnlisted()
	case s.base.isNews(object):
		state, err := s.fromLister(object, s.base.latest())
		s.base.observeListed(state, object.UID, err)
	}
	s.base.expire(s.clock.Now(), s.checkInterval, s.hasLister)
}

// isUnlisted reports whether the object is to be read because the Lister does not contain it.
// Callers hold s.mu.
func (s *store) isUnlisted(object *mcfgv1.MachineConfigNode) bool {
	return s.hasLister && object == nil && s.base.checkUnlisted(s.clock.Now(), s.checkInterval)
}

// observe records the state that a read or a write for an intent led to, and whether the status of
// it is to be restored. It reports whether the CRD turned out to have no field for images.
func (s *store) observe(state plan.State, in plan.Intent, lost bool) (pruned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pruned = state.NoImageField && !s.base.state.NoImageField
	s.base.observe(state, in, lost, s.clock.Now())
	return pruned
}

// markStale has the next write start from a read: others may have written, or the last write may
// have succeeded without a response. What is known still serves to decide what to accept.
func (s *store) markStale() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base.markStale()
}

// setUpdate records an update that began, or ended, without a write.
func (s *store) setUpdate(u plan.Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base.setUpdate(u)
}

// state returns what is known of the object.
func (s *store) state() plan.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base.state
}

// isLost reports whether the object has lost its status, which is to be restored.
func (s *store) isLost() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base.lost
}

// inspect returns the state, whether there is one, and whether its status is lost: as one step.
func (s *store) inspect() (state plan.State, known, lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base.state, s.base.known, s.base.lost
}

// giveUp leaves an object that has lost its status without it. It reports whether it has lost one.
func (s *store) giveUp() (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base.giveUp()
}

func (s *store) dropImageField() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base.dropImageField(s.clock.Now())
}

// adopt adds to the state of a read what only this process knows. It reports whether the object
// has lost its status, as one that was deleted and created again: then the state has the one that
// was known.
func (s *store) adopt(read plan.State) (plan.State, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.base.state
	read.Update, read.NoImageField = known.Update, known.NoImageField
	if s.base.empty != nil && *s.base.empty == read.Object.UID {
		return read, false
	}
	if !s.base.known || len(read.Object.Status.Conditions) > 0 || len(known.Object.Status.Conditions) == 0 {
		return read, false
	}
	if ownedByAnother(known.Object, read.Object) {
		read.Update = plan.Update{}
		return read, false
	}
	status := known.Object.Status
	status.ObservedGeneration = 0
	return read.WithStatus(status), true
}

// ownedByAnother reports whether two objects of one name belong to two Nodes: the second is that
// of a Node that was created again, to which the first one's status means nothing.
func ownedByAnother(a, b *mcfgv1.MachineConfigNode) bool {
	for _, owner := range b.OwnerReferences {
		if nodeowner.Is(owner) {
			return nodeowner.OwnedByPrevious(a.OwnerReferences, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: owner.Name, UID: owner.UID}})
		}
	}
	return false
}
