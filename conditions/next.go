package conditions

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

const disruptionMessage = "This node is not updated, sensed disruption via a manual update."

// Next returns the lists that a report makes of this one, in the order in which they
// are to be published, one a write. The list passed in may be incomplete and may hold
// foreign conditions; what is returned is as Complete gives it.
//
//  1. Between the list and the first write, and between one write and the next, every
//     phase moves by one arrow of its state machine at most. The begin and the end of an
//     update may also take a phase from Unknown back to False.
//  2. LastTransitionTime is the report's time where the status moved, and stays where it
//     did not.
//  3. A report that changes nothing gives no write. A condition that is missing, or of
//     the other mode, is a change.
//  4. A report that is refused gives a *phases.TransitionError; one of a phase or status
//     that there is not, or not in the mode, the errors of phases.Check.
func Next(list []metav1.Condition, imageMode bool, r Report) ([][]metav1.Condition, error) {
	if err := phases.Check(r.Phase, r.Status, imageMode); err != nil {
		return nil, err
	}
	r.Time = metav1.NewTime(r.Time.UTC().Truncate(time.Second))
	r.Message, r.ParentMessage = Cut(r.Message), Cut(r.ParentMessage)
	r.CompletesParent = r.CompletesParent && r.Status == metav1.ConditionTrue

	before := Complete(list, imageMode, r.Time)
	writes, err := writesOf(before, r)
	if err != nil {
		return nil, err
	}
	if len(writes) > 1 && reachable(before, writes[1]) {
		writes = writes[1:]
	}
	if len(writes) == 1 && Same(list, writes[0]) {
		return nil, nil
	}
	for _, after := range writes {
		stamp(before, after, r.Time)
		before = after
	}
	return writes, nil
}

// writesOf says what kind of report this is. It leaves times to Next, and whether the
// first two writes can be one.
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
	case phases.OfCycle(r.Phase) && betweenUpdates && r.Status == metav1.ConditionFalse:
		return refresh(before, r), nil
	case phases.OfCycle(r.Phase) && betweenUpdates && (r.Late || !phases.OnlyInUpdate(r.Phase)):
		return refreshWithParent(before, r), nil
	case phases.OfCycle(r.Phase) && betweenUpdates:
		return disrupt(before, r)
	case err != nil:
		return nil, err
	default:
		return move(before, r, path)
	}
}

// reachable reports whether one write may lead from the one list to the other. A phase that
// runs is taken back by a write only that takes all back: what a reader, and the policy on
// the server, know a begin or an end by.
func reachable(from, to []metav1.Condition) bool {
	for i := range to {
		p := phases.Phase(to[i].Type)
		path, err := phases.Path(p, from[i].Status, to[i].Status)
		takenBack := from[i].Status == metav1.ConditionUnknown && to[i].Status == metav1.ConditionFalse && allTakenBack(to)
		if (err != nil && !takenBack) || len(path) > 1 {
			return false
		}
	}
	return true
}

// allTakenBack reports whether no phase of the cycle is shown to run or to be done, but for
// the preparation that an update begins with.
func allTakenBack(list []metav1.Condition) bool {
	return !slices.ContainsFunc(list, func(c metav1.Condition) bool {
		p := phases.Phase(c.Type)
		prepares := p == phases.UpdatePrepared && c.Status == metav1.ConditionUnknown
		return phases.OfCycle(p) && c.Status != metav1.ConditionFalse && !prepares
	})
}

// stamp gives each condition of after its time: that of before where the status is the
// same, else now.
func stamp(before, after []metav1.Condition, now metav1.Time) {
	for i := range after {
		if after[i].Status == before[i].Status {
			after[i].LastTransitionTime = before[i].LastTransitionTime
		} else {
			after[i].LastTransitionTime = now
		}
	}
}

// with returns the list with one condition changed.
func with(list []metav1.Condition, p phases.Phase, status metav1.ConditionStatus, reason, message string) []metav1.Condition {
	list = slices.Clone(list)
	set(list, p, status, reason, message)
	return list
}

func set(list []metav1.Condition, p phases.Phase, status metav1.ConditionStatus, reason, message string) {
	c := find(list, p)
	c.Status, c.Reason, c.Message = status, reason, message
}
