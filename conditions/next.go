package conditions

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

const disruptionMessage = "This node is not updated, sensed disruption via a manual update."

// Next returns the lists that follow from a list and a report, in the order in which they are
// to be published, one per write. The list may be incomplete and may hold other conditions;
// the results are as Complete returns them.
//
//  1. From the list to the first write, and from one write to the next, every phase makes at
//     most one transition of its state machine. The begin and the end of an update may also
//     change a phase from Unknown to False.
//  2. LastTransitionTime is the time of the report if the status changed, and unchanged if it
//     did not. It never decreases, although the clocks of two processes differ.
//  3. A report that changes nothing returns no write. A missing condition, and one of the other
//     mode, is a change.
//  4. A transition that the state machine does not allow is a *phases.TransitionError; an
//     invalid phase or status is the *field.Error of phases.Check.
func Next(list []metav1.Condition, imageMode bool, r Report) ([][]metav1.Condition, error) {
	if err := phases.Check(r.Phase, r.Status, imageMode); err != nil {
		return nil, err
	}
	r.Time = metav1.NewTime(r.Time.UTC().Truncate(time.Second))
	r.Message, r.ParentMessage = Truncate(r.Message), Truncate(r.ParentMessage)
	r.CompletesParent = r.CompletesParent && r.Status == metav1.ConditionTrue

	before := Complete(list, imageMode, r.Time)
	writes, err := writesOf(before, r)
	if err != nil {
		return nil, err
	}
	if len(writes) > 1 && reachable(before, writes[1]) {
		writes = writes[1:]
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

// writesOf returns the lists without times. Next sets the times, and merges the first two
// writes if one write may publish both.
func writesOf(before []metav1.Condition, r Report) ([][]metav1.Condition, error) {
	path, err := phases.Path(r.Phase, StatusOf(before, r.Phase), r.Status)
	betweenUpdates := StatusOf(before, phases.Updated) == metav1.ConditionTrue
	switch {
	case r.Phase == phases.Updated && err != nil:
		return nil, err
	case r.Phase == phases.Updated && r.Status == metav1.ConditionTrue:
		if betweenUpdates {
			return refresh(before, r), nil
		}
		return end(before, r), nil
	case r.Phase == phases.Updated:
		if betweenUpdates || r.NewTarget {
			return begin(before, r), nil
		}
		return repeatBegin(before, r), nil
	case r.Phase == phases.UpdatePrepared && r.NewTarget && r.Status != metav1.ConditionFalse && !betweenUpdates:
		return beginUnannounced(before, r)
	case phases.OfCycle(r.Phase) && betweenUpdates && r.Status == metav1.ConditionFalse:
		return refresh(before, r), nil
	case phases.OfCycle(r.Phase) && betweenUpdates && (r.Expired || !phases.OnlyInUpdate(r.Phase)):
		return refreshWithParent(before, r), nil
	case phases.OfCycle(r.Phase) && betweenUpdates:
		return disrupt(before, r)
	case err != nil:
		return nil, err
	default:
		return move(before, r, path)
	}
}

// reachable reports whether one write may change the one list to the other. A running phase may
// be reset only by a write that resets all of them, by which a reader, and the policy on the
// server, recognize a begin or an end.
func reachable(from, to []metav1.Condition) bool {
	for i := range to {
		p := phases.Phase(to[i].Type)
		path, err := phases.Path(p, from[i].Status, to[i].Status)
		isReset := from[i].Status == metav1.ConditionUnknown && to[i].Status == metav1.ConditionFalse && allReset(to)
		if (err != nil && !isReset) || len(path) > 1 {
			return false
		}
	}
	return true
}

// allReset reports whether every phase of the cycle is False, except for an UpdatePrepared that
// is Unknown at the beginning of an update.
func allReset(list []metav1.Condition) bool {
	return !slices.ContainsFunc(list, func(c metav1.Condition) bool {
		p := phases.Phase(c.Type)
		prepares := p == phases.UpdatePrepared && c.Status == metav1.ConditionUnknown
		return phases.OfCycle(p) && c.Status != metav1.ConditionFalse && !prepares
	})
}

// stamp sets the time of each condition of after: that of before if the status is the same, else
// now, or that of before if it is later.
func stamp(before, after []metav1.Condition, now metav1.Time) {
	for i := range after {
		if after[i].Status == before[i].Status || now.Before(&before[i].LastTransitionTime) {
			after[i].LastTransitionTime = before[i].LastTransitionTime
		} else {
			after[i].LastTransitionTime = now
		}
	}
}
