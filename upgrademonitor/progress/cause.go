package progress

import (
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// readCause sets Message, Failing and Pods. reason is the reason annotation of the Node.
func (n *Node) readCause(list []metav1.Condition, reason string) {
	if n.Step != "" && !n.NotStarted {
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
	n.Reports = reports(list, reason)
	degraded := n.causeInReports()
	isAfterAnHour := isDrainError && strings.Contains(degraded, "failed to drain node")
	if degraded != "" && !isAfterAnHour {
		n.Message, n.Pods = degraded, podsOf(degraded)
	}
}

// reports returns the value of Node.Reports. Some daemons set only the annotation, for example if
// the files on disk have changed.
func reports(list []metav1.Condition, reason string) []string {
	var all []string
	if isTrue, _ := sinceTrue(list, phases.NodeDegraded); isTrue {
		all = append(all, conditions.TrimUpdatePrefix(messageOf(list, phases.NodeDegraded)))
	}
	if !slices.Contains(all, reason) {
		all = append(all, reason)
	}
	return slices.DeleteFunc(all, func(text string) bool { return text == "" })
}

// causeInReports returns the first report, without the name of the node, or a report that contains
// the first report and says more.
func (n *Node) causeInReports() string {
	cause := ""
	for _, text := range n.Reports {
		text = strings.TrimPrefix(text, "Node "+n.Name+" upgrade failure. ")
		if strings.Contains(text, cause) {
			cause = text
		}
	}
	return cause
}

// isError reports whether the message of a running step is an error. Errors of
// machine-config-operator's drain controller and daemon, and of kubectl's drain, have the prefixes
// below.
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
		if message := messageOf(list, p); message != "" && conditions.StatusOf(list, p) == metav1.ConditionUnknown {
			return message
		}
	}
	if i := slices.IndexFunc(n.Steps, func(s Step) bool { return s.Phase == n.Step }); i >= 0 && n.Steps[i].State == Failed {
		return n.Steps[i].Message
	}
	return ""
}

// childOfV1alpha1 maps a step to a condition of v1alpha1 with a more detailed message than the
// condition of the step.
var childOfV1alpha1 = map[phases.Phase]phases.Phase{
	phases.UpdatePrepared: "UpdateCompatible", phases.UpdatePostActionComplete: "ReloadedCRIO",
}

// Pod is a pod that a failing drain waits for.
type Pod struct {
	Namespace, Name string
	// Refused is true if the API server refused to evict the pod until the drain timed out, for
	// example because of a PodDisruptionBudget. If Refused is false, the pod does not terminate, or
	// the eviction failed for another reason.
	Refused bool
}

// cutDrainError returns the error in a message, and true, if machine-config-operator's drain
// controller wrote the message after a failed attempt. Otherwise it returns the message and false.
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
var notEvicted = regexp.MustCompile(
	`error when (?:evicting|deleting|waiting for) pods?[/ ]"([^"]+)" (?:-n|in namespace|from terminating namespace) "([^"]+)"([^,\]]*)`)

// podsOf returns the pods that the error of a drain names.
func podsOf(message string) []Pod {
	var pods []Pod
	for _, m := range notEvicted.FindAllStringSubmatch(message, -1) {
		isTerminating := strings.Contains(m[3], "to terminate") || strings.Contains(m[0], "terminating namespace")
		pod := Pod{Namespace: m[2], Name: m[1]}
		pod.Refused = !isTerminating && (strings.Contains(m[3], "timeout") || strings.Contains(m[3], "disruption budget"))
		if !slices.Contains(pods, pod) {
			pods = append(pods, pod)
		}
	}
	return pods
}
