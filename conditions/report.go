package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// Report is a report on one phase.
type Report struct {
	// Phase, Status, Reason and Message are the reported condition. A message that is too long
	// is truncated.
	Phase   phases.Phase
	Status  metav1.ConditionStatus
	Reason  string
	Message string

	// CompletesParent turns the parent of the phase True with it. It is ignored if Status is not
	// True, or while another child of the parent is Unknown.
	CompletesParent bool
	// ParentMessage is the message of the parent. Default: Message.
	ParentMessage string

	// Time is when the report was accepted. It is truncated to seconds.
	Time metav1.Time
}

// Cycle is what a list does not show of the current update, or of the last one if there is none.
type Cycle struct {
	// Name is the name of the update. The messages of phases that ran are prefixed with it.
	Name string
	// NewTarget is set if the node has another target, so that Updated=False, or UpdatePrepared
	// during an update, begins another update.
	NewTarget bool
	// Ended is set if Updated turned True after the report was accepted, so that the report
	// must not begin an update.
	Ended bool
}

// StartsUpdate reports whether a report begins an update: an announced one (Updated=False), one that
// nobody announced (UpdatePrepared for another target), or a disruption (a phase that only an
// update has, reported while Updated is True).
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

// hasParentMessage reports whether a report also changes the message of a parent with that
// status: because the parent is running or completed, or because of a ParentMessage.
func (r Report) hasParentMessage(parent metav1.ConditionStatus) bool {
	return parent == metav1.ConditionUnknown || r.CompletesParent || r.ParentMessage != ""
}

// isLate reports whether a child started before its parent was completed, so that it takes nothing
// back.
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
