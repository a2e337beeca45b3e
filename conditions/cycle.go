package conditions

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// begin starts an update: all phases are reset, then UpdatePrepared starts.
func begin(before []metav1.Condition, r Report) [][]metav1.Condition {
	cleared := reset(before, r.Update)
	set(cleared, phases.Updated, metav1.ConditionFalse, r.Reason, r.Message)
	preparing := with(cleared, phases.UpdatePrepared, metav1.ConditionUnknown, string(phases.UpdatePrepared), r.Message)
	return [][]metav1.Condition{cleared, preparing}
}

// repeatBegin handles Updated=False during the update for the same target. It changes no status,
// except that it starts an UpdatePrepared that this report has yet to start.
func repeatBegin(before []metav1.Condition, r Report) [][]metav1.Condition {
	after := with(before, phases.Updated, metav1.ConditionFalse, r.Reason, r.Message)
	if r.Began && StatusOf(before, phases.UpdatePrepared) == metav1.ConditionFalse {
		set(after, phases.UpdatePrepared, metav1.ConditionUnknown, string(phases.UpdatePrepared), r.Message)
	}
	return [][]metav1.Condition{after}
}

// beginUnannounced starts an update with a report of UpdatePrepared: the target of the node has
// changed, and no Updated=False was reported for it.
func beginUnannounced(before []metav1.Condition, r Report) ([][]metav1.Condition, error) {
	return moveFromReset(reset(before, r.Update), r)
}

// end ends the update: all phases are reset, Updated turns True, and a NodeDegraded that is True
// is cleared.
func end(before []metav1.Condition, r Report) [][]metav1.Condition {
	after := reset(before, r.Update)
	if degraded := Find(after, phases.NodeDegraded); degraded.Status == metav1.ConditionTrue {
		degraded.Status, degraded.Message = metav1.ConditionFalse, WithUpdatePrefix(degraded.Message, r.Update)
	}
	set(after, phases.Updated, metav1.ConditionTrue, r.Reason, r.Message)
	return [][]metav1.Condition{after}
}

// disrupt handles a phase of an update that is reported between updates: an update begins
// without its preparation, and the phase moves.
func disrupt(before []metav1.Condition, r Report) ([][]metav1.Condition, error) {
	cleared := reset(before, r.Update)
	set(cleared, phases.Updated, metav1.ConditionFalse, string(phases.Updated), disruptionMessage)
	return moveFromReset(cleared, r)
}

// moveFromReset returns the list at the beginning of an update, and the lists of the transitions
// of the phase from there.
func moveFromReset(cleared []metav1.Condition, r Report) ([][]metav1.Condition, error) {
	path, err := phases.Path(r.Phase, metav1.ConditionFalse, r.Status)
	if err != nil {
		return nil, err
	}
	moves, err := move(cleared, r, path)
	if err != nil {
		return nil, err
	}
	return append([][]metav1.Condition{cleared}, moves...), nil
}

// refresh changes the reason and the message of a condition, and no status.
func refresh(before []metav1.Condition, r Report) [][]metav1.Condition {
	return [][]metav1.Condition{with(before, r.Phase, StatusOf(before, r.Phase), r.Reason, r.Message)}
}

// refreshWithParent is refresh for a report that also changes the message of the parent.
func refreshWithParent(before []metav1.Condition, r Report) [][]metav1.Condition {
	writes := refresh(before, r)
	parent, ok := phases.ParentOf(r.Phase)
	if !ok || Equal(before, writes[0]) {
		return writes
	}
	if status := StatusOf(before, parent); r.hasParentMessage(status) {
		set(writes[0], parent, status, string(r.Phase), r.parentMessage())
	}
	return writes
}

// reset returns the list with every Parent and Child, except Updated, set to False. The messages
// of phases that ran get the prefix of the update; other phases are unchanged.
func reset(before []metav1.Condition, update string) []metav1.Condition {
	after := slices.Clone(before)
	for i := range after {
		c := &after[i]
		if !phases.OfCycle(phases.Phase(c.Type)) || notStarted(c) {
			continue
		}
		c.Status = metav1.ConditionFalse
		c.Message = WithUpdatePrefix(c.Message, update)
	}
	return after
}

func notStarted(c *metav1.Condition) bool {
	return c.Status == metav1.ConditionFalse && c.Reason == ReasonNotYetOccurred
}
