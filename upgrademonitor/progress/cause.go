package progress

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// readCause sets the message of a node, and the pods that its drain waits for.
func (n *Node) readCause(list []metav1.Condition) {
	if n.State == Updating && !n.NotStarted {
		n.Message = n.messageOfStep(list)
		n.Failing = isError(n.Message)
	}
	drain, isDrainError := "", false
	if n.Step == phases.Drained {
		drain, isDrainError = cutDrainError(n.Message)
		n.Failing = n.Failing || isDrainError
		n.Message, n.Pods = drain, podsOf(drain)
	}
	if !n.Degraded {
		return
	}
	n.Failing = false
	degraded := strings.TrimPrefix(messageOf(list, phases.NodeDegraded), "Node "+n.Name+" upgrade failure. ")
	isAfterAnHour := isDrainError && strings.Contains(degraded, "failed to drain node")
	if degraded != "" && !isAfterAnHour {
		n.Message, n.Pods = degraded, podsOf(degraded)
	}
}

// isError reports whether the message of a running step is an error. Messages of
// machine-config-operator's drain controller and daemon, and of kubectl's drain, have these
// prefixes.
func isError(message string) bool {
	message = strings.ToLower(message)
	for _, start := range []string{"error", "failed to ", "update failed "} {
		if strings.HasPrefix(message, start) {
			return true
		}
	}
	return false
}

// messageOfStep returns the message of the running step, or of the step that has failed.
func (n *Node) messageOfStep(list []metav1.Condition) string {
	for _, p := range []phases.Phase{childOfV1alpha1[n.Step], n.Step} {
		if message := messageOf(list, p); message != "" && conditions.StatusOf(list, p) == metav1.ConditionUnknown {
			return message
		}
	}
	if i := slices.IndexFunc(n.Steps, func(s Step) bool { return s.Phase == n.Step }); i >= 0 && n.Steps[i].State == Failed {
		return n.Steps[i].Message
	}
	return ""
}

// childOfV1alpha1 has the conditions of v1alpha1 with a more detailed message than the step's own.
var childOfV1alpha1 = map[phases.Phase]phases.Phase{
	phases.UpdatePrepared: "UpdateCompatible", phases.UpdatePostActionComplete: "ReloadedCRIO",
}
