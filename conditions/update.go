package conditions

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// disruptionMessage is the message of Updated if the report of a step turns Updated False. It is
// the text of machine-config-operator, because some tools look for this text.
const disruptionMessage = "This node is not updated, sensed disruption via a manual update."

// start returns the lists that start an update, one per write. The writes reset all steps, turn
// Updated False, and start the first step: UpdatePrepared, or the step that was reported. If one
// write cannot make all these changes, the first write only resets the steps.
func start(before []metav1.Condition, r Report, cycle Cycle) [][]metav1.Condition {
	cleared := reset(before, cycle.Name)
	forgetNotRequired(cleared)
	updated := Find(before, phases.Updated)
	wasReported := !IsReservedReason(updated.Reason)
	if updated.Status != metav1.ConditionTrue && wasReported {
		nameUpdateOfFailure(cleared, cycle.Name)
	}
	first := slices.Clone(cleared)
	var lists [][]metav1.Condition
	if r.Phase == phases.Updated {
		set(first, phases.Updated, metav1.ConditionFalse, r.Reason, r.Message)
		set(first, phases.UpdatePrepared, metav1.ConditionUnknown, string(phases.UpdatePrepared), r.Message)
		lists = [][]metav1.Condition{first}
	} else {
		if updated.Status == metav1.ConditionTrue {
			set(first, phases.Updated, metav1.ConditionFalse, string(phases.Updated), disruptionMessage)
		}
		path, _ := phases.Path(r.Phase, metav1.ConditionFalse, r.Status) // the status is Unknown or True
		lists = changePhase(first, r, path)
	}
	if CheckTransitions(before, lists[0]) != nil {
		lists = slices.Insert(lists, 0, cleared)
	}
	return lists
}

// end returns the list that ends an update. The write resets all steps, and turns Updated True and
// NodeDegraded False. The message of Updated names each child that was Unknown, because this child
// may have failed. For example, if Uncordoned was Unknown, the node may still be cordoned.
func end(before []metav1.Condition, r Report, cycle Cycle) []metav1.Condition {
	after := reset(before, cycle.Name)
	if degraded := Find(after, phases.NodeDegraded); degraded.Status == metav1.ConditionTrue {
		degraded.Status = metav1.ConditionFalse
		degraded.Message = withUpdatePrefix(degraded.Message, cycle.Name)
	}
	set(after, phases.Updated, metav1.ConditionTrue, r.Reason, withIncomplete(r.Message, unknownChildren(before)))
	return after
}

// refresh returns the list for a report of a step while Updated is True. It changes no status, only
// reasons and messages:
//
//  1. The step gets the reported reason and message. If the report is Unknown or True, the message
//     gets the prefix of the last update.
//  2. If the report is Unknown or True, and hasParentMessage returns true, the parent gets the name
//     of the step as its reason, and the result of parentMessage as its message.
//  3. If the report is True, the name of the step is removed from the message of Updated.
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

// reset returns the list with every step set to False. If the status of a step changes, its message
// gets the prefix of the update.
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

// forgetNotRequired makes each step that was not required in the last update look like a step that
// was never reported, because the next update may require the step. The list is a result of reset.
func forgetNotRequired(list []metav1.Condition) {
	for i := range list {
		c := &list[i]
		p := phases.Phase(c.Type)
		if phases.IsUpdateStep(p) && !HasUpdatePrefix(c.Message) {
			*c = neverRan(p, c.LastTransitionTime)
		}
	}
}

// nameUpdateOfFailure adds the name of an unfinished update to the message of NodeDegraded when
// another update starts. Otherwise no condition would show in which update the node failed.
// NodeDegraded stays True, because the failure is not resolved.
func nameUpdateOfFailure(list []metav1.Condition, update string) {
	if degraded := Find(list, phases.NodeDegraded); degraded.Status == metav1.ConditionTrue {
		degraded.Message = withUpdatePrefix(degraded.Message, update)
	}
}
