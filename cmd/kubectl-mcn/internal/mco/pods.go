package mco

import (
	"regexp"
	"strings"
)

// Pod is a pod that a failing drain waits for.
type Pod struct {
	Namespace, Name string
	// Refused is true if a PodDisruptionBudget refused each attempt to evict the pod. It is false if
	// the pod was evicted but does not terminate, or if the eviction failed for another reason.
	Refused bool
	// HasSeveral is true if the API server has refused to evict a pod with several budgets.
	HasSeveral bool
}

// drainTimeout is in the report of a daemon whose drain took longer than an hour. The controller goes on
// with the drain.
const drainTimeout = "failed to drain node"

// drainErrors are the beginnings of the errors of a drain: those of machine-config-operator's drain
// controller, and of Track of package upgrademonitor.
var drainErrors = regexp.MustCompile(`^(.*Node Drain has not succeeded\. Error is: |Error: Draining( \w+)?: )`)

// cutDrainError returns the error in a message that a drain controller writes after a failed attempt, and
// true. It returns any other message unchanged, and false.
func cutDrainError(message string) (string, bool) {
	start := drainErrors.FindString(message)
	if start == "" {
		return message, false
	}
	before, _, _ := strings.Cut(message[len(start):], " The drain will not be complete until ")
	return before, true
}

// isOfDrain reports whether an error is of a drain.
func isOfDrain(text string) bool {
	_, isDrainError := cutDrainError(text)
	return isDrainError || strings.Contains(text, drainTimeout) || len(podsOf(text)) > 0
}

var (
	// notEvicted matches the error of kubectl's drain about one pod. A message may contain several such
	// errors.
	notEvicted = regexp.MustCompile(`error when (?:evicting|deleting|waiting for) pods?[/ ]"([^"]+)" ` +
		`(?:-n|in namespace) "([^"]+)"([^,\]]*)`)
	// notEvictedShort matches the error of another drain controller.
	notEvictedShort = regexp.MustCompile(`\b(?:evict|evicting|delete|deleting) pod "?([a-z0-9.-]+)/([a-z0-9.-]+)"?([^,\]]*)`)
	// notDeletable matches a list of pods that kubectl's drain does not touch.
	notDeletable = regexp.MustCompile(`cannot delete [^:]*: ([a-z0-9.-]+/[a-z0-9.-]+(?:, [a-z0-9.-]+/[a-z0-9.-]+)*)`)
	// isRefusal matches the error of an eviction that a budget refuses, and the timeout of such evictions.
	isRefusal = regexp.MustCompile(`global timeout reached|disruption budget|PodDisruptionBudget`)
)

// podsOf returns the pods that the error of a drain names.
func podsOf(message string) []Pod {
	var pods []Pod
	add := func(namespace, name, why string) {
		isTerminating := strings.Contains(why, "to terminate")
		isRefused := isRefusal.MatchString(why) && !isTerminating
		pods = append(pods, Pod{namespace, name, isRefused, strings.Contains(why, "more than one PodDisruptionBudget")})
	}
	for _, m := range notEvicted.FindAllStringSubmatch(message, -1) {
		add(m[2], m[1], m[3])
	}
	for _, m := range notEvictedShort.FindAllStringSubmatch(message, -1) {
		add(m[1], m[2], m[3])
	}
	for _, m := range notDeletable.FindAllStringSubmatch(message, -1) {
		for pod := range strings.SplitSeq(m[1], ", ") {
			namespace, name, _ := strings.Cut(pod, "/")
			pods = append(pods, Pod{Namespace: namespace, Name: name})
		}
	}
	return pods
}
