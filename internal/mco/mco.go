// Package mco models what the daemon of machine-config-operator does to the status of a
// MachineConfigNode where it reports without this library, as of its commit 7ff337a: for tests, and
// for comparisons of what both cost.
package mco

import (
	"cmp"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// Call is a report of a phase. Of a child, the call names the parent, too, which becomes True where the
// child completes it, else Unknown.
type Call struct {
	Phase           phases.Phase
	Status          metav1.ConditionStatus
	Reason, Message string
	CompletesParent bool
}

// conditions returns those that the call sets, the topmost one last.
func (c Call) conditions(now metav1.Time) []metav1.Condition {
	called := []metav1.Condition{{Type: string(c.Phase), Status: c.Status, Reason: c.Reason, Message: c.Message, LastTransitionTime: now}}
	if parent, ok := phases.ParentOf(c.Phase); ok {
		status := metav1.ConditionUnknown
		if c.CompletesParent {
			status = metav1.ConditionTrue
		}
		called = append(called, metav1.Condition{Type: string(parent), Status: status, Reason: string(c.Phase), Message: c.Message, LastTransitionTime: now})
	}
	return called
}

// Conditions returns the conditions of an object after a call, and whether the call writes them.
//
//  1. It writes nothing where the topmost condition of the call has its status and message already,
//     those of pinned image sets aside.
//  2. It sets its conditions to whatever it reports, at the time of the call.
//  3. A call of Updated resets every other condition that is not False, singletons too.
//  4. A call of another phase leaves an Updated that is True. (It is meant to make it False, "sensed
//     disruption", but writes the previous state over that.)
//  5. The first call adds the conditions of the standard mode; those of image mode appear with their
//     first call.
func Conditions(mcn *mcfgv1.MachineConfigNode, c Call, now metav1.Time) (list []metav1.Condition, writes bool) {
	called := c.conditions(now)
	topmost := called[len(called)-1]
	list = slices.Clone(mcn.Status.Conditions)
	pins := c.Phase == phases.PinnedImageSetsProgressing || c.Phase == phases.PinnedImageSetsDegraded
	if i := find(list, topmost.Type); i >= 0 && !pins && list[i].Status == topmost.Status && list[i].Message == topmost.Message {
		return list, false
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

// DesiredConfig returns what a call writes to status.configVersion.desired, where the node desires this
// config.
func DesiredConfig(c Call, annotation string) string {
	if c.Phase == phases.UpdatePrepared && c.Status != metav1.ConditionTrue {
		return "not-yet-set"
	}
	return cmp.Or(annotation, "not-yet-set")
}

// update names the update in the messages of the conditions that its end resets.
func update(mcn *mcfgv1.MachineConfigNode) string {
	if image := mcn.Spec.ConfigImage.DesiredImage; image != mcn.Status.ConfigImage.CurrentImage {
		return cmp.Or(string(image), "disable image mode")
	}
	return mcn.Spec.ConfigVersion.Desired
}

func find(list []metav1.Condition, conditionType string) int {
	return slices.IndexFunc(list, func(c metav1.Condition) bool { return c.Type == conditionType })
}
