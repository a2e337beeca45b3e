package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// Report reports the status of one phase.
type Report struct {
	// Phase, Status, Reason and Message describe the condition. A long message is truncated.
	Phase   phases.Phase
	Status  metav1.ConditionStatus
	Reason  string
	Message string

	// NotRequired replaces Status: a phase that is False stays False, otherwise it becomes True. The
	// report starts no update.
	NotRequired bool
	// CompletesParent turns the parent True in the same write as the phase. CompletesParent is
	// ignored if Status is not True and NotRequired is not set, or if another child of the parent is
	// Unknown.
	CompletesParent bool
	// ParentMessage is the message of the parent. Default: Message.
	ParentMessage string

	// Time is when the report was accepted. It is truncated to seconds.
	Time metav1.Time
}

// Cycle has facts about the current or last update that the list of conditions does not show.
type Cycle struct {
	// Name is the name of the update in the prefix "Action during update to <name>: ".
	Name string
	// NewTarget is set if the desired config or image of the node differs from the target of the
	// current update. Then a report of Updated=False or UpdatePrepared starts another update.
	NewTarget bool
	// Ended is set if Updated turned True after the report was accepted. Then the report must not
	// start an update.
	Ended bool
}

// StartsUpdate reports whether a report starts an update. A report of Updated=False starts an
// update if Updated was True before, or if the target is new (Cycle.NewTarget). A report of
// UpdatePrepared starts an update if the target is new. While Updated is True, a report of any
// phase that runs only during an update starts an update. A report with NotRequired starts none.
func StartsUpdate(list []metav1.Condition, r Report, cycle Cycle) bool {
	between := StatusOf(list, phases.Updated) == metav1.ConditionTrue
	switch {
	case r.NotRequired:
		return false
	case r.Phase == phases.Updated:
		return r.Status == metav1.ConditionFalse && (between && !cycle.Ended || cycle.NewTarget)
	case between:
		return phases.StartsUpdate(r.Phase) && r.Status != metav1.ConditionFalse && !cycle.Ended
	default:
		return r.Phase == phases.UpdatePrepared && r.Status != metav1.ConditionFalse && cycle.NewTarget
	}
}

// hasParentMessage reports whether a report changes the message of a parent with this status. It
// does if the parent is Unknown, or if CompletesParent or ParentMessage is set.
func (r Report) hasParentMessage(parent metav1.ConditionStatus) bool {
	return parent == metav1.ConditionUnknown || r.CompletesParent || r.ParentMessage != ""
}

// isLate reports whether a child was reported Unknown before its parent turned True.
func (r Report) isLate(parent *metav1.Condition) bool {
	return r.Status == metav1.ConditionUnknown && parent.Status == metav1.ConditionTrue &&
		r.Time.Unix() < parent.LastTransitionTime.Unix()
}

func (r Report) parentMessage() string {
	if r.ParentMessage != "" {
		return r.ParentMessage
	}
	return r.Message
}
