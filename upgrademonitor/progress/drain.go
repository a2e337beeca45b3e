package progress

import (
	"regexp"
	"slices"
	"strings"
)

// Pod is a pod that a failing drain waits for.
type Pod struct {
	Namespace, Name string
	// Refused is set if the API server refused to evict the pod until the drain timed out, as it
	// does for a disruption budget. Otherwise the pod does not terminate, or cannot be evicted for
	// another reason.
	Refused bool
}

// cutDrainError returns the error in a message that machine-config-operator's drain controller
// writes after a failed attempt, and true. It returns any other message unchanged, and false.
func cutDrainError(message string) (string, bool) {
	_, after, isError := strings.Cut(message, "Node Drain has not succeeded. Error is: ")
	if !isError {
		return message, false
	}
	before, _, _ := strings.Cut(after, " The drain will not be complete until ")
	return before, true
}

// notEvicted matches the error of kubectl's drain for one pod. A message may list several errors.
var notEvicted = regexp.MustCompile(
	`error when (?:evicting|deleting|waiting for) pods?[/ ]"([^"]+)" (?:-n|in namespace|from terminating namespace) "([^"]+)"([^,\]]*)`)

// podsOf returns the pods in the error of a drain.
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
