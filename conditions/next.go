package conditions

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// Next returns the lists to publish for a report, in order, one per write. The list may lack some
// conditions, and may have conditions of other types. The results have exactly the conditions of
// Complete.
//
//  1. In each write every phase makes at most one transition of its state machine. The start and
//     the end of an update may also change a phase from Unknown to False.
//  2. LastTransitionTime becomes the time of the report if the status changes; otherwise it stays.
//     It never decreases, even if the clocks of two processes differ.
//  3. A report that changes nothing returns no list. Adding a missing condition is a change, and so
//     is removing a condition of the other mode.
//  4. If the start of an update needs two writes, the first write only resets the phases: if the
//     second write is lost, the same report starts the same update.
//  5. The error is a *phases.TransitionError if the state machine does not allow the transition, or
//     if a Parent is reported True while a child is Unknown. If the phase or the status is invalid,
//     it is the *field.Error of phases.Check.
func Next(list []metav1.Condition, imageMode bool, r Report, cycle Cycle) ([][]metav1.Condition, error) {
	if err := phases.Check(r.Phase, r.Status, imageMode); err != nil {
		return nil, err
	}
	r.Time = metav1.NewTime(r.Time.UTC().Truncate(time.Second))
	r.Message, r.ParentMessage = Truncate(r.Message), Truncate(r.ParentMessage)
	r.CompletesParent = r.CompletesParent && r.Status == metav1.ConditionTrue

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

// writesOf returns the lists of Next, with the times of the list before the report.
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
		return [][]metav1.Condition{before}, nil // a repeated start of an update that has ended
	case r.Phase == phases.Updated:
		after := slices.Clone(before)
		set(after, r.Phase, r.Status, r.Reason, r.Message)
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

// stamp sets the times of after: now if the status has changed, otherwise the old time. An old time
// that is later than now is kept.
func stamp(before, after []metav1.Condition, now metav1.Time) {
	for i := range after {
		if after[i].Status == before[i].Status || now.Before(&before[i].LastTransitionTime) {
			after[i].LastTransitionTime = before[i].LastTransitionTime
		} else {
			after[i].LastTransitionTime = now
		}
	}
}
