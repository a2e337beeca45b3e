package upgrademonitor

import (
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// base is what the Monitor knows of its object: the state that the next write is computed from.
// It is guarded by store.mu.
type base struct {
	state plan.State
	known bool       // the object was read or written
	stale bool       // others may have written since: to be read before the next write
	lost  bool       // the object has lost the status of state, which is to be restored: see restore
	empty *types.UID // of an object whose status may not be restored
	gone  bool       // the object is not in the Lister, and may have been deleted: stale until it is read

	node            *plan.Node // the view of the Node at the last read or write
	checked         time.Time  // when that was, in real time
	listed          *types.UID // of the object that the Lister contained
	checkedUnlisted bool       // the object was read because the Lister never contained it: see checkUnlisted

	imageField time.Time // when the CRD turned out to have no configImage, in real time
}

// observe records the state that a read or a write for an intent led to, and whether the status of
// it is to be restored.
func (b *base) observe(s plan.State, in plan.Intent, lost bool, now time.Time) {
	b.set(s)
	b.known, b.stale, b.gone, b.lost, b.checked = true, false, false, lost, now
	if in != nil {
		node := in.Observed()
		b.node = &node
	}
	if s.NoImageField && b.imageField.IsZero() {
		b.imageField = now
	}
}

// set records a state. Between updates there is none under way.
func (b *base) set(s plan.State) {
	if s.IsTrue(phases.Updated) {
		s.Update = plan.Update{}
	}
	b.state = s
}

// setUpdate records an update that began, or ended, without a write.
func (b *base) setUpdate(u plan.Update) { b.state.Update = u }

// giveUp leaves an object that has lost its status without it. It reports whether it has lost one.
func (b *base) giveUp() (lost bool) {
	if lost = b.lost; lost {
		uid := b.state.Object.UID
		b.empty, b.lost, b.stale = &uid, false, true
	}
	return lost
}

// dropImageField records that the CRD has no field for images. An object that has some is read
// again: it was read while the CRD had the field.
func (b *base) dropImageField(now time.Time) {
	b.state.NoImageField, b.imageField = true, now
	b.stale = b.stale || b.known && b.state.HasImages()
}

// markStale has the object read before the next write.
func (b *base) markStale() { b.stale = true }

// nodeUnchanged reports whether the view of the Node in an intent is that of the last read or
// write. Else another process may have begun or ended an update, and neither a refusal nor a
// no-op is decided without a read.
func (b *base) nodeUnchanged(in plan.Intent) bool {
	return b.node != nil && *b.node == in.Observed()
}

// latest returns the state that is known, an empty one where none is.
func (b *base) latest() plan.State {
	if !b.known {
		return plan.State{}
	}
	return b.state
}

// needsRead reports whether the object is to be read before a write can be planned.
func (b *base) needsRead() bool { return !b.known || b.stale || b.lost }

// listerDelay is how long an informer is given to deliver what was written.
const listerDelay = 20 * time.Millisecond

// expire has what is older than interval checked again: the object by a read, unless a Lister
// observes its deletion, and the CRD's field for images by the next write.
func (b *base) expire(now time.Time, interval time.Duration, hasLister bool) {
	if b.known && !hasLister && now.Sub(b.checked) >= interval {
		b.stale = true
	}
	if b.state.NoImageField && now.Sub(b.imageField) >= interval {
		b.state.NoImageField, b.imageField = false, time.Time{}
	}
}

// observeUnlisted records that the Lister has no object. One that it contained before was
// deleted, and is to be recreated.
func (b *base) observeUnlisted() {
	if b.known && b.listed != nil && *b.listed == b.state.Object.UID {
		b.stale, b.gone = true, true
		b.listed = nil
	}
}

// checkUnlisted marks an object stale that the Lister does not contain and never did: the informer
// may not have synced, or the object was deleted before the first look. It does so once, and then
// once per interval. It reports whether the object is stale.
func (b *base) checkUnlisted(now time.Time, interval time.Duration) bool {
	after := listerDelay
	if b.checkedUnlisted {
		after = interval
	}
	if b.known && !b.stale && now.Sub(b.checked) >= after {
		b.stale, b.gone, b.checkedUnlisted = true, true, true
	}
	return b.stale
}

// isNews reports whether an object of the Lister is a later version than what is known, or another
// object after the Lister has shown the known one.
func (b *base) isNews(object *mcfgv1.MachineConfigNode) bool {
	replaced := b.listed != nil && *b.listed == b.state.Object.UID && object.UID != b.state.Object.UID
	if b.known && !replaced && !newer(object, b.state.Object) {
		if object.UID == b.state.Object.UID {
			uid := object.UID // a copy: the object is the Lister's
			b.listed, b.checkedUnlisted = &uid, false
		}
		return false
	}
	return true
}

// observeListed makes a later version of the Lister the next base. One that cannot be,
// because of err, because it is another object of the name, or because the known status is still
// to be restored, leads to a read.
func (b *base) observeListed(s plan.State, uid types.UID, err error) {
	switch {
	case b.known && uid != b.state.Object.UID:
		b.stale, b.gone = true, true
	case err != nil || b.lost:
		b.stale = true
	case !b.stale:
		s.Update, s.NoImageField = b.state.Update, b.state.NoImageField
		b.set(s)
		b.known, b.listed, b.checkedUnlisted = true, &uid, false
	}
}

// newer reports whether a is a later version than b.
func newer(a, b *mcfgv1.MachineConfigNode) bool {
	order, err := resourceversion.CompareResourceVersion(a.ResourceVersion, b.ResourceVersion)
	return err == nil && order > 0
}
