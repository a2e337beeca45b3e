package progress

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// The start and the end of an update reset the phases that ran: their conditions turn False at that
// time, and their messages get the prefix of the update. Phases that did not run keep an earlier
// time.

// startOf returns when the current update started: when Updated turned False or, if the update
// replaced an incomplete update, when its start reset the phases of that update.
func startOf(list []metav1.Condition) time.Time {
	if !conditions.Ran(list, phases.Updated) {
		return time.Time{}
	}
	return later(timeOf(list, phases.Updated), lastReset(list, phases.IsUpdateStep))
}

// isReplaced reports whether phases were reset after Updated turned False: another update has
// replaced an incomplete update.
func isReplaced(list []metav1.Condition) bool {
	return lastReset(list, phases.StartsUpdate).After(timeOf(list, phases.Updated))
}

// completionOf returns when the last update completed: when it reset the phases that run only
// during an update. Updated may be newer, because a restarted daemon may report it again.
func completionOf(list []metav1.Condition) time.Time {
	updated, completed := timeOf(list, phases.Updated), lastReset(list, phases.StartsUpdate)
	if completed.IsZero() || completed.After(updated) {
		return updated
	}
	return completed
}

// lastReset returns when any of these phases was last reset.
func lastReset(list []metav1.Condition, of func(phases.Phase) bool) time.Time {
	var last time.Time
	for i := range list {
		if of(phases.Phase(list[i].Type)) && isReset(&list[i]) {
			last = later(last, list[i].LastTransitionTime.UTC())
		}
	}
	return last
}

// neverUpdated reports whether the list has conditions of update steps, but no step was ever
// reported.
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
