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

// errorStart is how errors begin: those of Track of package upgrademonitor, of machine-config-operator's
// daemon and drain controller, and of kubectl's drain. A sentence may also say that something failed.
var errorStart = regexp.MustCompile(`(?i)^\[?(error|failed to|update failed|cannot|could not|unable to)\b|\bfailed($|[:;,.]| to | with | because )`)

// errorWords are the words of errors of Go, of the kernel, of API servers and of registries.
var errorWords = regexp.MustCompile(`(?i)\b(errors?|failed|failure|timeout|timed out|cannot|could not|unable to|refused|denied|forbidden|` +
	`unauthorized|invalid|exceeded|expired|not found|no such|no space left|no endpoints|no route|unreachable|exit status|killed|canceled|` +
	`already exists|not permitted|read-only|reset by peer|broken pipe|EOF|x509)\b`)

// isError reports whether the message of a step is an error. A step describes its work in a sentence,
// which may have words of errors: "Deleting failed pods". So the words count only after a colon, or in a
// message that does not begin as a sentence.
func isError(message string) bool {
	if errorStart.MatchString(message) {
		return true
	}
	first, rest, _ := strings.Cut(message, ": ")
	return errorWords.MatchString(rest) || startsSmall.MatchString(first) && errorWords.MatchString(first)
}

var startsSmall = regexp.MustCompile(`^\P{Lu}`)

// messageOfStep returns the message of the running or failed step. If this message is no error, it
// returns the error of another phase: of a parent that fails by itself, of a step that failed before
// this step began, or of a step that the daemon repeats when it restarts.
func (n *Node) messageOfStep(list []metav1.Condition) string {
	message := n.ownMessage(list)
	if isError(message) {
		return message
	}
	for _, c := range list {
		p := phases.Phase(c.Type)
		isStep := phases.KindOf(p) == phases.Parent || phases.KindOf(p) == phases.Child
		mayFail := isStep && c.Status != metav1.ConditionTrue && wasReported(list, p)
		if !n.InUpdate() { // the report at a restart changes no status
			mayFail = slices.Contains(atRestart, p)
		}
		if text := conditions.TrimUpdatePrefix(c.Message); mayFail && isError(text) {
			return text
		}
	}
	return message
}

// ownMessage returns the message of the running or failed step, or "".
func (n *Node) ownMessage(list []metav1.Condition) string {
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
