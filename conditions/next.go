package conditions

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// Next returns the lists to publish for a report, one per write, in order. The given list may lack
// conditions, and may have conditions whose type is not a phase. Each returned list has one
// condition for each phase of the mode, like a list that Complete returns.
//
//  1. In each write, each phase makes at most one transition of its state machine. When an update
//     starts or ends, a phase may also change from Unknown to False.
//  2. If the status of a condition changes, its LastTransitionTime becomes the time of the report.
//     LastTransitionTime never decreases, even if the clocks of two processes differ.
//  3. If a report changes nothing, Next returns no list. Adding a missing condition counts as a
//     change, and so does removing a condition of the other mode.
//  4. If one write cannot both reset the phases and start the update, the first write only resets
//     the phases. If the second write then fails, Next can be called again with the same report,
//     and still starts the same update.
//  5. The error is a *phases.TransitionError if the state machine does not allow the transition, or
//     if a Parent is reported True while one of its children is Unknown. If the phase or the status
//     is invalid, the error is the *field.Error that phases.Check returns.
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

// writesOf returns the lists that Next returns, but with the old times. stamp sets the new times.
func writesOf(before []metav1.Condition, r Report, cycle Cycle) ([][]metav1.Condition, error) {
	path, err := phases.Path(r.Phase, StatusOf(before, r.Phase), r.Status)
	between := StatusOf(before, phases.Updated) == metav1.ConditionTrue
	switch {
	case r.Phase == phases.Updated && err != nil:
		return nil, err
	case StartsUpdate(before, r, cycle):
		return start(before, r, cycle)
	case r.Phase == phases.Updated && r.Status == metav1.ConditionTrue && !between:
		return [][]metav1.Condition{end(before, r, cycle)}, nil
	case r.Phase == phases.Updated && r.Status == metav1.ConditionFalse && between:
		return [][]metav1.Condition{before}, nil // cycle.Ended is set, so no update starts
	case r.Phase == phases.Updated:
		after := slices.Clone(before)
		set(after, r.Phase, r.Status, r.Reason, r.Message)
		if between {
			set(after, r.Phase, r.Status, r.Reason, keepIncomplete(Find(before, r.Phase).Message, r.Message))
		}
		return [][]metav1.Condition{after}, nil
	case phases.IsUpdateStep(r.Phase) && between:
		return [][]metav1.Condition{refresh(before, r, cycle.Name)}, nil
	case err != nil:
		return nil, err
	}
	if child, ok := runningChild(before, r.Phase, ""); ok && r.Status == metav1.ConditionTrue {
		return nil, &phases.TransitionError{Phase: r.Phase, From: StatusOf(before, r.Phase), To: r.Status, Child: child}
	}
	return transitions(before, r, path)
}

// stamp sets the lastTransitionTime of each condition in after. If the status changed, the time
// becomes now, otherwise the old time stays. An old time that is later than now also stays.
func stamp(before, after []metav1.Condition, now metav1.Time) {
	for i := range after {
		if after[i].Status == before[i].Status || now.Before(&before[i].LastTransitionTime) {
			after[i].LastTransitionTime = before[i].LastTransitionTime
		} else {
			after[i].LastTransitionTime = now
		}
	}
}
