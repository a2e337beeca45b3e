package transitions

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/phasetable"
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

// Validate returns a *field.Error if the report is invalid in every state of the object. Whoever accepts a report
// calls it once. The rest, which depends on the object, is the error of Next.
func (r Report) Validate() error {
	switch {
	case phases.KindOf(r.Phase) == "":
		return unknownPhase(r.Phase)
	case !validStatus(r.Status):
		return invalidStatus(r.Status)
	}
	_, hasParent := phases.ParentOf(r.Phase)
	// A reason of 1,025 characters is too long, and short enough for the error.
	c := metav1.Condition{Type: string(r.Phase), Status: r.Status, Reason: fmt.Sprintf("%.1025s", r.Reason), LastTransitionTime: metav1.Unix(1, 0)}
	if errs := metav1validation.ValidateCondition(c, nil); len(errs) > 0 {
		return errs[0]
	}
	switch {
	case conditions.IsReservedReason(r.Reason):
		return field.Invalid(field.NewPath("reason"), r.Reason, "this reason is reserved for phases that were never reported")
	case r.CompletesParent && (!hasParent || r.Status != metav1.ConditionTrue):
		return field.Forbidden(field.NewPath("opts").Key("CompletesParent"),
			"valid only for a Child phase with status True, which completes its parent")
	case r.NotRequired && !phasetable.IsStep(r.Phase):
		return field.Forbidden(field.NewPath("phase"), "NotRequired is valid only for a step of an update: use Report")
	}
	return nil
}

// Update has facts that the conditions do not show. They are about the current update or, if no
// update is under way, about the last update.
type Update struct {
	// Name is the name of the update in the prefix "Action during update to <name>: ".
	Name string
	// NewTarget is true if the Node desires another config or image than the status. The status has the
	// target of an update from UpdatePrepared=True until the next update is prepared.
	NewTarget bool
	// Ended is true if Updated turned True after the time of the report. Then the report is late, and
	// must not start an update.
	Ended bool
}

// StartsUpdate reports whether a report starts an update:
//
//  1. Updated=False, if no update is under way.
//  2. Updated=False, or UpdatePrepared as Unknown or True, if UpdatePrepared is True and
//     Update.NewTarget is set: another update starts.
//  3. Unknown or True for a step that runs only during an update (see RunsOnlyInUpdate), if no update is under
//     way: a disruption or, if Updated was never reported, an update whose object was deleted.
//
// A report with NotRequired starts no update. Nor does a report with Update.Ended, except Updated=False
// with Update.NewTarget.
func StartsUpdate(list []metav1.Condition, r Report, update Update) bool {
	isUpdated := conditions.StatusOf(list, phases.Updated) == metav1.ConditionTrue
	isReplaced := conditions.StatusOf(list, phases.UpdatePrepared) == metav1.ConditionTrue && update.NewTarget
	switch {
	case r.NotRequired:
		return false
	case r.Phase == phases.Updated && isUpdated:
		return r.Status == metav1.ConditionFalse && (!update.Ended || update.NewTarget)
	case r.Phase == phases.Updated:
		return r.Status == metav1.ConditionFalse && (!IsUnderWay(list) || isReplaced)
	case !IsUnderWay(list):
		return phasetable.RunsOnlyInUpdate(r.Phase) && r.Status != metav1.ConditionFalse && !update.Ended
	default:
		return r.Phase == phases.UpdatePrepared && r.Status != metav1.ConditionFalse && isReplaced
	}
}
