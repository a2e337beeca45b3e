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

// cutDrainError returns the error in a message that a drain controller writes after a failed attempt, and
// true. It returns any other message unchanged, and false.
func cutDrainError(message string) (string, bool) {
	for _, start := range []*regexp.Regexp{drainFailed, trackedDrain} {
		if at := start.FindStringIndex(message); at != nil {
			return untilDrained.Split(message[at[1]:], 2)[0], true
		}
	}
	return message, false
}

// isOfDrain reports whether an error is of a drain.
func isOfDrain(text string) bool {
	_, isDrainError := cutDrainError(text)
	return isDrainError || drainTimeout.MatchString(text) || len(podsOf(text)) > 0
}

// podsOf returns the pods that the error of a drain names.
func podsOf(message string) []Pod {
	var pods []Pod
	add := func(namespace, name, why string, isEvicted bool) {
		hasSeveral := refusedBySeveral.MatchString(why)
		isRefused := !isEvicted && (hasSeveral || refused.MatchString(why) || refusedSoFar.MatchString(why))
		pods = append(pods, Pod{namespace, name, isRefused, hasSeveral})
	}
	for _, m := range notDrained.FindAllStringSubmatch(message, -1) {
		add(m[3], m[2], m[4], m[1] == "waiting for")
	}
	for _, m := range notEvicted.FindAllStringSubmatch(message, -1) {
		add(m[1], m[2], m[3], false)
	}
	for _, m := range notDeletable.FindAllStringSubmatch(message, -1) {
		for pod := range strings.SplitSeq(m[1], ", ") {
			namespace, name, _ := strings.Cut(pod, "/")
			pods = append(pods, Pod{Namespace: namespace, Name: name})
		}
	}
	return pods
}
