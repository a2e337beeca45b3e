package progress

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// messageOfStep returns the message of the running step, else that of a running parent whose
// children have no message. Once a child has finished, its parent's message may be about that one.
func (n Node) messageOfStep(list []metav1.Condition) string {
	if message := runningMessage(list, n.Step); message != "" {
		return message
	}
	for _, s := range slices.Backward(n.Steps) {
		parent, ok := phases.ParentOf(s.Phase)
		isFinished := func(s Step) bool {
			of, ok := phases.ParentOf(s.Phase)
			return ok && of == parent && s.State == Finished
		}
		if !ok || slices.ContainsFunc(n.Steps, isFinished) {
			continue
		}
		if message := runningMessage(list, parent); message != "" {
			return message
		}
	}
	return ""
}

// runningMessage returns the message of a phase that is running.
func runningMessage(list []metav1.Condition, p phases.Phase) string {
	if conditions.StatusOf(list, p) != metav1.ConditionUnknown {
		return ""
	}
	return messageOf(list, p)
}
