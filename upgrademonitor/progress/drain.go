package progress

import (
	"regexp"
	"slices"
	"strings"
)

// Pod is a pod that a failing drain waits for.
type Pod struct {
	Namespace, Name string
	// Refused is set if the API server refused to evict the pod until the drain gave up, which it does
	// for a disruption budget. Otherwise the pod does not terminate, or cannot be evicted.
	Refused bool
}

// cutDrainError returns the error in the message that the drain controller of machine-config-operator
// reports after each attempt, and whether there is one. Any other message is returned as it is.
func cutDrainError(message string) (string, bool) {
	_, after, isError := strings.Cut(message, "Node Drain has not succeeded. Error is: ")
	if !isError {
		return message, false
	}
	before, _, _ := strings.Cut(after, " The drain will not be complete until ")
	return before, true
}

// notEvicted matches what kubectl's drain says of one pod. Its errors are listed in one message.
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
