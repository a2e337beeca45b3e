package today

import (
	"cmp"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// Call is a report of a phase. A report of a child also sets the parent: to True if CompletesParent
// is set, otherwise to Unknown.
type Call struct {
	Phase           phases.Phase
	Status          metav1.ConditionStatus
	Reason, Message string
	CompletesParent bool
}

// conditions returns the conditions that the call sets: first the condition of the phase, then the
// condition of its parent if it has a parent.
func (c Call) conditions(now metav1.Time) []metav1.Condition {
	called := []metav1.Condition{{
		Type:               string(c.Phase),
		Status:             c.Status,
		Reason:             c.Reason,
		Message:            c.Message,
		LastTransitionTime: now,
	}}
	parent, ok := phases.ParentOf(c.Phase)
	if !ok {
		return called
	}
	status := metav1.ConditionUnknown
	if c.CompletesParent {
		status = metav1.ConditionTrue
	}
	return append(called, metav1.Condition{
		Type:               string(parent),
		Status:             status,
		Reason:             string(c.Phase),
		Message:            c.Message,
		LastTransitionTime: now,
	})
}

// Conditions returns the conditions of an object after the call c, and whether the call writes them.
//
//  1. A call for a child writes nothing if the status and message of the parent would not change. A
//     call for any other phase writes nothing if the status and message of the phase would not
//     change. A call for pinned image sets always writes.
//  2. A call sets the conditions of the phase and its parent, and their lastTransitionTime. It does
//     not check transitions.
//  3. A call for Updated changes every other condition to False, including singletons.
//  4. A call for any phase except Updated leaves Updated unchanged. (The daemon sets Updated to
//     False, with the message "sensed disruption", but then overwrites this change with the
//     previous state.)
//  5. The first call adds all conditions of standard mode, and ImagePulledFromRegistry. Each other
//     condition of image mode is added when it is first reported.
func Conditions(mcn *mcfgv1.MachineConfigNode, c Call, now metav1.Time) (list []metav1.Condition, writes bool) {
	called := c.conditions(now)
	topmost := called[len(called)-1]
	list = slices.Clone(mcn.Status.Conditions)
	pins := c.Phase == phases.PinnedImageSetsProgressing || c.Phase == phases.PinnedImageSetsDegraded
	if i := find(list, topmost.Type); i >= 0 && !pins {
		if list[i].Status == topmost.Status && list[i].Message == topmost.Message {
			return list, false
		}
	}
	for i := range list {
		if c.Phase == phases.Updated && list[i].Type != string(phases.Updated) && list[i].Status != metav1.ConditionFalse {
			list[i].Status, list[i].LastTransitionTime = metav1.ConditionFalse, now
			list[i].Message = "Action during update to " + update(mcn) + ": " + list[i].Message
		}
	}
	for _, condition := range called {
		if i := find(list, condition.Type); i >= 0 {
			list[i] = condition
		} else {
			list = append(list, condition)
		}
	}
	if len(mcn.Status.Conditions) == 0 {
		for _, p := range append(phases.All(false), phases.ImagePulledFromRegistry) {
			if find(list, string(p)) < 0 {
				list = append(list, *conditions.Find(conditions.Complete(nil, phases.ExistsIn(p, true), now), p))
			}
		}
	}
	return list, true
}

// DesiredConfig returns the value that a call writes to status.configVersion.desired. annotation is
// the value of the Node's annotation desiredConfig.
func DesiredConfig(c Call, annotation string) string {
	if c.Phase == phases.UpdatePrepared && c.Status != metav1.ConditionTrue {
		return "not-yet-set"
	}
	return cmp.Or(annotation, "not-yet-set")
}

// update returns the name X of the update in the prefix "Action during update to X: ".
func update(mcn *mcfgv1.MachineConfigNode) string {
	if image := mcn.Spec.ConfigImage.DesiredImage; image != mcn.Status.ConfigImage.CurrentImage {
		return cmp.Or(string(image), "disable image mode")
	}
	return mcn.Spec.ConfigVersion.Desired
}

func find(list []metav1.Condition, conditionType string) int {
	return slices.IndexFunc(list, func(c metav1.Condition) bool { return c.Type == conditionType })
}
