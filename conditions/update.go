package conditions

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// disruptionMessage is the message of Updated if the report of a step turns it False. The message
// is machine-config-operator's, because some tools match it.
const disruptionMessage = "This node is not updated, sensed disruption via a manual update."

// start returns the lists that start an update, one per write. The writes reset all phases, turn
// Updated False, and start the first phase: UpdatePrepared, or the phase that was reported. If one
// write cannot make all these changes, the first list only resets the phases.
func start(before []metav1.Condition, r Report, cycle Cycle) ([][]metav1.Condition, error) {
	cleared := reset(before, cycle.Name)
	forgetNotRequired(cleared)
	if updated := Find(before, phases.Updated); updated.Status != metav1.ConditionTrue && !IsReservedReason(updated.Reason) {
		nameUpdateOfFailure(cleared, cycle.Name)
	}
	first := slices.Clone(cleared)
	var lists [][]metav1.Condition
	if r.Phase == phases.Updated {
		set(first, phases.Updated, metav1.ConditionFalse, r.Reason, r.Message)
		set(first, phases.UpdatePrepared, metav1.ConditionUnknown, string(phases.UpdatePrepared), r.Message)
		lists = [][]metav1.Condition{first}
	} else {
		if StatusOf(before, phases.Updated) == metav1.ConditionTrue {
			set(first, phases.Updated, metav1.ConditionFalse, string(phases.Updated), disruptionMessage)
		}
		path, err := phases.Path(r.Phase, metav1.ConditionFalse, r.Status)
		if err != nil {
			return nil, err
		}
		if lists, err = transitions(first, r, path); err != nil {
			return nil, err
		}
	}
	if CheckTransitions(before, lists[0]) != nil {
		lists = slices.Insert(lists, 0, cleared)
	}
	return lists, nil
}

// end returns the list that ends an update. The write resets all phases, turns Updated True, and
// turns NodeDegraded False if NodeDegraded was True. The message of Updated names each child that
// was Unknown: it may have failed. For example, a node that is not uncordoned runs no new pods.
func end(before []metav1.Condition, r Report, cycle Cycle) []metav1.Condition {
	after := reset(before, cycle.Name)
	if degraded := Find(after, phases.NodeDegraded); degraded.Status == metav1.ConditionTrue {
		degraded.Status, degraded.Message = metav1.ConditionFalse, withUpdatePrefix(degraded.Message, cycle.Name)
	}
	set(after, phases.Updated, metav1.ConditionTrue, r.Reason, withIncomplete(r.Message, unknownChildren(before)))
	return after
}

// refresh returns the list for a report of a step while Updated is True. No status changes. The
// step gets the reported reason and message. If the report is Unknown or True, the message gets the
// prefix of the last update, and the parent changes in the cases of hasParentMessage. If the report
// is True, the message of Updated no longer names the step as not complete.
func refresh(before []metav1.Condition, r Report, update string) []metav1.Condition {
	after := slices.Clone(before)
	if r.Status == metav1.ConditionFalse {
		set(after, r.Phase, StatusOf(before, r.Phase), r.Reason, r.Message)
		return after
	}
	if updated := Find(after, phases.Updated); r.Status == metav1.ConditionTrue {
		updated.Message = withoutIncomplete(updated.Message, r.Phase)
	}
	own := Find(before, r.Phase)
	set(after, r.Phase, own.Status, r.Reason, keepUpdatePrefix(own.Message, r.Message, update))
	parent, ok := phases.ParentOf(r.Phase)
	if !ok || Equal(before, after) {
		return after
	}
	if p := Find(before, parent); r.hasParentMessage(p.Status) {
		set(after, parent, p.Status, string(r.Phase), keepUpdatePrefix(p.Message, r.parentMessage(), update))
	}
	return after
}

// reset returns the list with every Parent and Child, except Updated, set to False. If a phase
// changes, its message gets the prefix of the update.
func reset(before []metav1.Condition, update string) []metav1.Condition {
	after := slices.Clone(before)
	for i := range after {
		c := &after[i]
		if phases.IsUpdateStep(phases.Phase(c.Type)) && c.Status != metav1.ConditionFalse {
			c.Status = metav1.ConditionFalse
			c.Message = withUpdatePrefix(c.Message, update)
		}
	}
	return after
}

// forgetNotRequired sets each step that was not required in the last update to the state of a step
// that never ran. That a step was not required says nothing about the next update.
func forgetNotRequired(list []metav1.Condition) {
	for i := range list {
		c := &list[i]
		p := phases.Phase(c.Type)
		if phases.IsUpdateStep(p) && c.Status == metav1.ConditionFalse && !HasUpdatePrefix(c.Message) {
			*c = neverRan(p, c.LastTransitionTime)
		}
	}
}

// nameUpdateOfFailure adds the prefix of an unfinished update, which another update replaces, to the
// message of NodeDegraded. When the other update ends, nothing else in the list names the update in
// which the node failed. NodeDegraded stays True, because a new target resolves no failure.
func nameUpdateOfFailure(list []metav1.Condition, update string) {
	if degraded := Find(list, phases.NodeDegraded); degraded.Status == metav1.ConditionTrue {
		degraded.Message = withUpdatePrefix(degraded.Message, update)
	}
}
