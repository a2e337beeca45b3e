package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// Report is the input of Next: the status of one phase.
type Report struct {
	// Phase, Status, Reason and Message are the reported condition. A long message is truncated.
	Phase   phases.Phase
	Status  metav1.ConditionStatus
	Reason  string
	Message string

	// CompletesParent turns the parent True in the same write as the phase. It is ignored if Status
	// is not True, or while another child of the parent is Unknown.
	CompletesParent bool
	// ParentMessage is the message of the parent. Default: Message.
	ParentMessage string

	// Time is when the report was accepted. It is truncated to seconds.
	Time metav1.Time
}

// Cycle has facts about the current or last update that the list of conditions does not show.
type Cycle struct {
	// Name is the name of the update. Next puts it in front of the messages of phases that ran.
	Name string
	// NewTarget is set if the node desires another config or image than the current update. Then
	// Updated=False, or UpdatePrepared during an update, starts another update.
	NewTarget bool
	// Ended is set if Updated turned True after the report was accepted: it must not start an
	// update.
	Ended bool
}

// StartsUpdate reports whether a report starts an update. Updated=False does, and so does
// UpdatePrepared for another target. While Updated is True, a phase that runs only during an update
// does (a disruption).
func StartsUpdate(list []metav1.Condition, r Report, cycle Cycle) bool {
	between := StatusOf(list, phases.Updated) == metav1.ConditionTrue
	switch {
	case r.Phase == phases.Updated:
		return r.Status == metav1.ConditionFalse && (between && !cycle.Ended || cycle.NewTarget)
	case between:
		return phases.StartsUpdate(r.Phase) && r.Status != metav1.ConditionFalse && !cycle.Ended
	default:
		return r.Phase == phases.UpdatePrepared && r.Status != metav1.ConditionFalse && cycle.NewTarget
	}
}

// hasParentMessage reports whether a report changes the message of its parent, whose status is
// parent: the parent runs or completes, or the report has a ParentMessage.
func (r Report) hasParentMessage(parent metav1.ConditionStatus) bool {
	return parent == metav1.ConditionUnknown || r.CompletesParent || r.ParentMessage != ""
}

// isLate reports whether a child started before its parent turned True. If so, the parent stays
// True.
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
