package conditions

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// Next returns the conditions to write for a report: one list for each write, in order. The given
// list may lack conditions, and may have conditions whose type is not a phase. Each returned list
// has one condition for each phase of the mode, like a list that Complete returns. If the report
// changes nothing, Next returns no list.
//
//  1. Each write changes a phase by at most one status, in the order that phases.Path returns. When
//     an update starts or ends, a step may also change from Unknown to False.
//  2. If the status of a condition changes, its LastTransitionTime becomes the time of the report.
//     LastTransitionTime never decreases, even if the clocks of two processes differ.
//  3. If the start of an update needs two writes, the first write only sets steps to False. If the
//     second write fails, call Next again with the same report: it starts the same update.
//  4. The error is a *phases.TransitionError if phases.Path rejects the change, or if a Parent is
//     reported True while one of its children is Unknown.
//  5. If the phase or the status is invalid, the error is the *field.Error that phases.Check returns.
func Next(list []metav1.Condition, imageMode bool, r Report, cycle Cycle) ([][]metav1.Condition, error) {
	if r.NotRequired {
		r.Status = metav1.ConditionFalse
		if Ran(list, r.Phase) {
			r.Status = metav1.ConditionTrue
		}
	}
	if err := phases.Check(r.Phase, r.Status, imageMode); err != nil {
		return nil, err
	}
	r.Time = metav1.NewTime(r.Time.UTC().Truncate(time.Second))
	r.Message, r.ParentMessage = Truncate(r.Message), Truncate(r.ParentMessage)
	r.CompletesParent = r.CompletesParent && (r.Status == metav1.ConditionTrue || r.NotRequired)

	before := Complete(list, imageMode, r.Time)
	writes, err := writesOf(before, r, cycle)
	if err != nil {
		return nil, err
	}
	if len(writes) > 1 && Equal(before, writes[0]) {
		writes = writes[1:]
	}
	if len(writes) == 1 && Equal(list, writes[0]) {
		return nil, nil
	}
	for _, after := range writes {
		stamp(before, after, r.Time)
		before = after
	}
	return writes, nil
}

// writesOf is Next without the times: each condition has its old lastTransitionTime. stamp sets the
// new times.
func writesOf(before []metav1.Condition, r Report, cycle Cycle) ([][]metav1.Condition, error) {
	path, err := phases.Path(r.Phase, StatusOf(before, r.Phase), r.Status)
	isUpdated := StatusOf(before, phases.Updated) == metav1.ConditionTrue // no update is running
	switch {
	case r.Phase == phases.Updated && err != nil:
		return nil, err
	case StartsUpdate(before, r, cycle):
		return start(before, r, cycle), nil
	case r.Phase == phases.Updated && r.Status == metav1.ConditionTrue && !isUpdated:
		return [][]metav1.Condition{end(before, r, cycle)}, nil
	case r.Phase == phases.Updated && r.Status == metav1.ConditionFalse && isUpdated:
		return [][]metav1.Condition{before}, nil // the update has already ended: see Cycle.Ended
	case r.Phase == phases.Updated:
		after := slices.Clone(before)
		set(after, r.Phase, r.Status, r.Reason, keepIncomplete(Find(before, r.Phase).Message, r.Message))
		return [][]metav1.Condition{after}, nil
	case phases.IsUpdateStep(r.Phase) && isUpdated:
		return [][]metav1.Condition{refresh(before, r, cycle.Name)}, nil
	case err != nil:
		return nil, err
	}
	if child, ok := unknownChild(before, r.Phase, ""); ok && r.Status == metav1.ConditionTrue {
		return nil, &phases.TransitionError{Phase: r.Phase, From: StatusOf(before, r.Phase), To: r.Status, Child: child}
	}
	return changePhase(before, r, path), nil
}

// stamp sets the lastTransitionTime of each condition in after. The time becomes now if the status
// has changed and the old time is not later than now. Otherwise the old time stays.
func stamp(before, after []metav1.Condition, now metav1.Time) {
	for i := range after {
		old := before[i].LastTransitionTime
		if after[i].Status == before[i].Status || now.Before(&old) {
			after[i].LastTransitionTime = old
		} else {
			after[i].LastTransitionTime = now
		}
	}
}
