package conditions

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// begin starts an update: all that ran is taken back, then UpdatePrepared starts.
func begin(before []metav1.Condition, r Report) [][]metav1.Condition {
	reset := takeBack(before, r.Update)
	set(reset, phases.Updated, metav1.ConditionFalse, r.Reason, r.Message)
	preparing := with(reset, phases.UpdatePrepared, metav1.ConditionUnknown, string(phases.UpdatePrepared), r.Message)
	return [][]metav1.Condition{reset, preparing}
}

// repeatBegin is Updated=False in the update that is under way already. It moves nothing,
// but goes on with an UpdatePrepared that this same report has still to start.
func repeatBegin(before []metav1.Condition, r Report) [][]metav1.Condition {
	after := with(before, phases.Updated, metav1.ConditionFalse, r.Reason, r.Message)
	if r.Begun && StatusOf(before, phases.UpdatePrepared) == metav1.ConditionFalse {
		set(after, phases.UpdatePrepared, metav1.ConditionUnknown, string(phases.UpdatePrepared), r.Message)
	}
	return [][]metav1.Condition{after}
}

// end finishes the update: all that ran is taken back, and Updated is True.
func end(before []metav1.Condition, r Report) [][]metav1.Condition {
	after := takeBack(before, r.Update)
	set(after, phases.Updated, metav1.ConditionTrue, r.Reason, r.Message)
	return [][]metav1.Condition{after}
}

// disrupt is a phase of an update reported between updates: an update begins by itself,
// without its preparation, and the phase moves.
func disrupt(before []metav1.Condition, r Report) ([][]metav1.Condition, error) {
	reset := takeBack(before, r.Update)
	set(reset, phases.Updated, metav1.ConditionFalse, string(phases.Updated), disruptionMessage)
	path, err := phases.Path(r.Phase, metav1.ConditionFalse, r.Status)
	if err != nil {
		return nil, err
	}
	moves, err := move(reset, r, path)
	if err != nil {
		return nil, err
	}
	return append([][]metav1.Condition{reset}, moves...), nil
}

// refresh changes what a condition says, and moves nothing.
func refresh(before []metav1.Condition, r Report) [][]metav1.Condition {
	return [][]metav1.Condition{with(before, r.Phase, StatusOf(before, r.Phase), r.Reason, r.Message)}
}

// refreshWithParent is refresh, for a report that speaks for the phase's parent as well.
func refreshWithParent(before []metav1.Condition, r Report) [][]metav1.Condition {
	writes := refresh(before, r)
	parent, ok := phases.ParentOf(r.Phase)
	if !ok || Same(before, writes[0]) {
		return writes
	}
	if status := StatusOf(before, parent); r.speaksFor(status) {
		set(writes[0], parent, status, string(r.Phase), r.parentMessage())
	}
	return writes
}

// takeBack returns the list with every Parent and Child at False, Updated aside. What
// ran says in which update it did; what never ran stays as it is.
func takeBack(before []metav1.Condition, update string) []metav1.Condition {
	after := slices.Clone(before)
	for i := range after {
		c := &after[i]
		if !phases.OfCycle(phases.Phase(c.Type)) || neverRan(c) {
			continue
		}
		c.Status = metav1.ConditionFalse
		c.Message = Prefixed(c.Message, update)
	}
	return after
}

func neverRan(c *metav1.Condition) bool {
	return c.Status == metav1.ConditionFalse && c.Reason == ReasonNotYetOccurred
}
