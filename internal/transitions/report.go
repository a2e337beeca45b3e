package transitions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// Report is a new status of a phase, as a daemon or a controller reports it.
type Report struct {
	// Phase, Status, Reason and Message describe the condition. Next truncates a long message.
	Phase   phases.Phase
	Status  metav1.ConditionStatus
	Reason  string
	Message string

	// NotRequired means that the update does not need the phase. Status is ignored: a phase that is
	// False stays False, and any other phase becomes True. The report starts no update.
	NotRequired bool
	// CompletesParent turns the parent True in the same write as the phase. It has an effect only if
	// Status is True or NotRequired is set, and if no other child of the parent is Unknown.
	CompletesParent bool

	// Time is the time of the report. Next truncates it to seconds.
	Time metav1.Time
}

// Update has facts that the conditions do not show. They are about the current update or, if no
// update is running, about the last update.
type Update struct {
	// Name is the name of the update in the prefix "Action during update to <name>: ".
	Name string
	// NewTarget is true if the Node desires another config or image than the update installs. Then
	// a report of Updated=False or UpdatePrepared starts another update.
	NewTarget bool
	// Ended is true if Updated turned True after the time of the report. Then the report is late, and
	// must not start an update.
	Ended bool
}

// StartsUpdate reports whether a report starts an update:
//
//  1. A report of Updated=False starts an update if Update.NewTarget is set, or if Updated is True and
//     Update.Ended is not set.
//  2. While Updated is True, a report of Unknown or True starts an update if its phase runs only
//     during an update (see RunsOnlyInUpdate), unless Update.Ended is set.
//  3. While Updated is not True, a report of UpdatePrepared as Unknown or True starts an update if
//     Update.NewTarget is set.
//  4. A report with NotRequired starts no update.
func StartsUpdate(list []metav1.Condition, r Report, update Update) bool {
	isUpdated := conditions.StatusOf(list, phases.Updated) == metav1.ConditionTrue
	switch {
	case r.NotRequired:
		return false
	case r.Phase == phases.Updated:
		return r.Status == metav1.ConditionFalse && (isUpdated && !update.Ended || update.NewTarget)
	case isUpdated:
		return RunsOnlyInUpdate(r.Phase) && r.Status != metav1.ConditionFalse && !update.Ended
	default:
		return r.Phase == phases.UpdatePrepared && r.Status != metav1.ConditionFalse && update.NewTarget
	}
}
