package progress

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// The start and the end of an update reset the phases that ran: they become False, at that time,
// with the prefix of their update. Phases that did not run keep an earlier time.

// startOf returns when the current update started. If it replaced an update that was not complete, Updated
// was False already: its start reset the phases that ran in the other update.
func startOf(list []metav1.Condition) time.Time {
	if !conditions.Ran(list, phases.Updated) {
		return time.Time{}
	}
	return later(timeOf(list, phases.Updated), lastReset(list, phases.IsUpdateStep))
}

// isReplaced reports whether a start has reset the phases of an update that was not complete, and no phase
// has started since.
func isReplaced(list []metav1.Condition) bool {
	return lastReset(list, phases.StartsUpdate).After(timeOf(list, phases.Updated))
}

// completionOf returns when the last update completed. A restarted daemon may report Updated again, at
// another time; the phases that are unique to an update keep their time.
func completionOf(list []metav1.Condition) time.Time {
	updated, completed := timeOf(list, phases.Updated), lastReset(list, phases.StartsUpdate)
	if completed.IsZero() || completed.After(updated) {
		return updated
	}
	return completed
}

// lastReset returns when some phases were last reset.
func lastReset(list []metav1.Condition, of func(phases.Phase) bool) time.Time {
	var last time.Time
	for i := range list {
		if of(phases.Phase(list[i].Type)) && isReset(&list[i]) {
			last = later(last, list[i].LastTransitionTime.UTC())
		}
	}
	return last
}

// neverUpdated reports whether an object has conditions of updates, and no update ever ran.
func neverUpdated(list []metav1.Condition) bool {
	has := false
	for i := range list {
		if phases.StartsUpdate(phases.Phase(list[i].Type)) {
			if !isNotYet(&list[i]) {
				return false
			}
			has = true
		}
	}
	return has
}
