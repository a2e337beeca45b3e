package mco

import (
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// readCause sets Message, Failing, IsOld and Pods.
func (n *Node) readCause(list []metav1.Condition) {
	message, isDrainError := cutDrainError(n.messageOfStep(list))
	n.Message = message
	hasFailed := isDrainError || isError(message)
	n.Failing = !n.Degraded && hasFailed
	// After an hour, a failing drain makes the node degraded. The error of the drain has more
	// details than the report of the daemon.
	degraded := n.causeInErrors()
	isDrainTimeout := n.Step == phases.Drained && hasFailed && strings.Contains(degraded, "failed to drain node")
	if degraded != "" && !isDrainTimeout {
		n.Message = degraded
		isRetried := n.Update == progress.Started && n.state == "Working"
		n.IsOld = n.DegradedInObject && (isRetried || conditions.HasUpdatePrefix(messageOf(list, phases.NodeDegraded)))
	}
	n.Pods = podsOf(n.Message)
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

// errorWords are the words of errors. The beginnings are those of machine-config-operator's daemon and
// drain controller, of kubectl's drain, and of Track of package upgrademonitor. The other words are in
// the errors of Go, of the kernel, of API servers and of registries. No message that only says what a
// step does has one of them.
var errorWords = regexp.MustCompile(`(?i)^(error|failed to |update failed )|\b(error|failed|failure|timeout|timed out|cannot|could not|unable to|` +
	`refused|denied|forbidden|unauthorized|invalid|exceeded|not found|no such|no space left|exit status|already exists|no endpoints|not permitted)\b`)

// isError reports whether the message of a running step is an error.
func isError(message string) bool { return errorWords.MatchString(message) }

// messageOfStep returns the message of the running or failed step. If this step has no message, it
// returns the error of another phase that is Unknown: a parent that fails by itself, or a step that
// the daemon repeats when it restarts.
func (n *Node) messageOfStep(list []metav1.Condition) string {
	isUnknown := func(p phases.Phase) bool { return conditions.StatusOf(list, p) == metav1.ConditionUnknown }
	for _, p := range []phases.Phase{childOfV1alpha1[n.Step], n.Step} {
		if message := messageOf(list, p); message != "" && isUnknown(p) {
			return message
		}
	}
	for _, s := range n.Steps {
		if s.Phase == n.Step && s.State == Failed {
			return s.Message
		}
	}
	for _, c := range list {
		p := phases.Phase(c.Type)
		mayFail := n.InUpdate() && phases.KindOf(p) == phases.Parent || !n.InUpdate() && slices.Contains(atRestart, p)
		if mayFail && isUnknown(p) && isError(c.Message) {
			return c.Message
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
	// Refused is true if a PodDisruptionBudget refused each attempt to evict the pod. It is false if
	// the pod was evicted but does not terminate, or if the eviction failed for another reason.
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
		isRefused := strings.Contains(why, "global timeout reached") || strings.Contains(why, "disruption budget")
		pods = append(pods, Pod{Namespace: namespace, Name: name, Refused: isRefused && !isTerminating})
	}
	return pods
}
