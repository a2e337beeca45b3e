package mco

import (
	"fmt"
	"regexp"
	"slices"
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
func podsOf(message string) (pods []Pod) {
	for _, e := range podErrors(message) {
		pods = append(pods, e.pods...)
	}
	return pods
}

// podError is the part of a message that says the same about some pods.
type podError struct {
	around
	pods       []Pod
	start, end int // of the part without the words after the names
}

// around are the words before and after the names of the pods.
type around struct{ before, after string }

// podErrors returns the errors about pods in a message, in order.
func podErrors(message string) (all []podError) {
	for _, pattern := range []*regexp.Regexp{notDrained, notEvicted, notDeletable} {
		for _, m := range pattern.FindAllStringSubmatchIndex(message, -1) {
			e := podError{around: around{before: message[m[2]:m[3]]}, start: m[0], end: m[1]}
			for pod := range strings.SplitSeq(message[m[4]:m[5]], ", ") {
				namespace, name, _ := strings.Cut(pod, "/")
				if pattern == notDrained {
					namespace, name = message[m[6]:m[7]], pod
				}
				e.pods = append(e.pods, Pod{Namespace: namespace, Name: name})
			}
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b podError) int { return a.start - b.start })
	for i := range all {
		e, next := &all[i], len(message)
		if i+1 < len(all) {
			next = all[i+1].start
		}
		e.after = strings.TrimRight(message[e.end:next], ", []")
		for j := range e.pods {
			e.pods[j].HasSeveral = refusedBySeveral.MatchString(e.after)
			e.pods[j].Refused = e.pods[j].HasSeveral || refused.MatchString(e.after) || refusedSoFar.MatchString(e.after) && !toTerminate.MatchString(e.after)
		}
	}
	return all
}

// A list of fewer pods than minListed is as short as its summary. A summary has the first maxListed names of each namespace.
const minListed, maxListed = 3, 3

// Listed summarizes an error that is a list of pods. It returns a text for each reason: the number of pods, their
// namespaces, and last the first names of each. It returns nil if the error is not such a list, or has many reasons.
func Listed(message string) (texts []string) {
	all, total := podErrors(message), len(podsOf(message))
	reasons := Groups(all, func(e podError) around { return e.around })
	if total < minListed || 2*len(reasons) > total || strings.Trim(message[:all[0].start], "[") != "" {
		return nil
	}
	for _, same := range reasons {
		var pods []Pod
		for _, e := range same {
			pods = append(pods, e.pods...)
		}
		number, names := summary(pods)
		texts = append(texts, same[0].before+number+same[0].after+": "+names)
	}
	return texts
}

// summary returns the number of pods, for example "4 pods of shop", and their first names. If the pods are of several
// namespaces, the names have them.
func summary(pods []Pod) (number, names string) {
	number = fmt.Sprintf("%d pods", len(pods))
	if len(pods) == 1 {
		number = "1 pod"
	}
	var texts []string
	namespaces := Groups(pods, func(p Pod) string { return p.Namespace })
	for _, all := range namespaces {
		text := all[0].Name
		for _, p := range all[1:min(maxListed, len(all))] {
			text += ", " + p.Name
		}
		if more := len(all) - maxListed; more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		if len(namespaces) == 1 {
			return number + " of " + all[0].Namespace, text
		}
		texts = append(texts, fmt.Sprintf("%d of %s (%s)", len(all), all[0].Namespace, text))
	}
	return number, strings.Join(texts, ", ")
}

// Groups collects the values with the same key, in the order of the first value of each key.
func Groups[T any, K comparable](all []T, key func(T) K) (list [][]T) {
	index := map[K]int{}
	for _, v := range all {
		k := key(v)
		i, has := index[k]
		if !has {
			i = len(list)
			index[k], list = i, append(list, nil)
		}
		list[i] = append(list[i], v)
	}
	return list
}
