package mco

import (
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// readCause sets Message, Failing and Pods.
func (n *Node) readCause(list []metav1.Condition) {
	message, isDrainError := cutDrainError(n.messageOfStep(list))
	n.Message, n.Pods = message, podsOf(message)
	n.Failing = !n.Degraded && (isDrainError || isError(message))
	if !n.Degraded {
		return
	}
	degraded := n.causeInErrors()
	// After an hour, a failing drain makes the node degraded. The error of the drain has more
	// details than the report of the daemon.
	isDrainTimeout := isDrainError && strings.Contains(degraded, "failed to drain node")
	if degraded != "" && !isDrainTimeout {
		n.Message, n.Pods = degraded, podsOf(degraded)
	}
}

// causeInErrors returns the first of Errors. If the second contains the first, the result is the
// second, because it has more details. The beginning that names the node is removed.
func (n *Node) causeInErrors() string {
	cause := ""
	for _, text := range n.Errors {
		text = strings.TrimPrefix(text, "Node "+n.Name+" upgrade failure. ")
		if strings.Contains(text, cause) {
			cause = text
		}
	}
	return cause
}

// isError reports whether the message of a running step is an error. The list has the beginnings of
// the errors of machine-config-operator's daemon and drain controller, and of kubectl's drain.
func isError(message string) bool {
	message = strings.ToLower(message)
	for _, start := range []string{"error", "failed to ", "update failed "} {
		if strings.HasPrefix(message, start) {
			return true
		}
	}
	return false
}

// messageOfStep returns the message of the running or failed step.
func (n *Node) messageOfStep(list []metav1.Condition) string {
	for _, p := range []phases.Phase{childOfV1alpha1[n.Step], n.Step} {
		message := messageOf(list, p)
		if message != "" && conditions.StatusOf(list, p) == metav1.ConditionUnknown {
			return message
		}
	}
	for _, s := range n.Steps {
		if s.Phase == n.Step && s.State == Failed {
			return s.Message
		}
	}
	return ""
}

// childOfV1alpha1 maps a step to its child in the v1alpha1 API. The message of the child has more
// details than the message of the step.
var childOfV1alpha1 = map[phases.Phase]phases.Phase{
	phases.UpdatePrepared:           "UpdateCompatible",
	phases.UpdatePostActionComplete: "ReloadedCRIO",
}

// Pod is a pod that a failing drain waits for.
type Pod struct {
	Namespace, Name string
	// Refused is true if the API server refused each attempt to evict the pod, for example because
	// of a PodDisruptionBudget. Refused is false if the pod was evicted but does not terminate, or
	// if the eviction failed for another reason.
	Refused bool
}

// cutDrainError returns the error in a message that machine-config-operator's drain controller writes
// after a failed attempt, and true. It returns any other message unchanged, and false.
func cutDrainError(message string) (string, bool) {
	_, after, isError := strings.Cut(message, "Node Drain has not succeeded. Error is: ")
	if !isError {
		return message, false
	}
	before, _, _ := strings.Cut(after, " The drain will not be complete until ")
	return before, true
}

// notEvicted matches the error of kubectl's drain about one pod. A message may contain several such
// errors.
var notEvicted = regexp.MustCompile(`error when (?:evicting|waiting for) pods?[/ ]"([^"]+)" ` +
	`(?:-n|in namespace) "([^"]+)"([^,\]]*)`)

// podsOf returns the pods that the error of a drain names.
func podsOf(message string) []Pod {
	var pods []Pod
	for _, m := range notEvicted.FindAllStringSubmatch(message, -1) {
		name, namespace, why := m[1], m[2], m[3]
		isTerminating := strings.Contains(why, "to terminate")
		isRefused := strings.Contains(why, "timeout") || strings.Contains(why, "disruption budget")
		pods = append(pods, Pod{Namespace: namespace, Name: name, Refused: isRefused && !isTerminating})
	}
	return pods
}
