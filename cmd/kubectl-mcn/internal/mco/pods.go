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

// Listed summarizes an error that is a list of pods: their number, their namespaces, the first names of each, and each reason
// once. It returns "" if the error is not such a list, or has many reasons.
func Listed(message string) string {
	all, total := podErrors(message), 0
	var order []around
	pods := map[around][]Pod{}
	for _, e := range all {
		if pods[e.around] == nil {
			order = append(order, e.around)
		}
		pods[e.around], total = append(pods[e.around], e.pods...), total+len(e.pods)
	}
	if total < minListed || 2*len(order) > total || strings.Trim(message[:all[0].start], "[") != "" {
		return ""
	}
	var texts []string
	for _, w := range order {
		number, names := summary(pods[w])
		texts = append(texts, w.before+number+w.after+": "+names)
	}
	return strings.Join(texts, "; ")
}

// summary returns the number of pods, for example "4 pods of shop", and their first names. If the pods are of several
// namespaces, the names have them.
func summary(pods []Pod) (number, names string) {
	var order []string
	of := map[string][]string{}
	for _, p := range pods {
		if of[p.Namespace] == nil {
			order = append(order, p.Namespace)
		}
		of[p.Namespace] = append(of[p.Namespace], p.Name)
	}
	var texts []string
	for _, namespace := range order {
		all := of[namespace]
		text := strings.Join(all[:min(maxListed, len(all))], ", ")
		if more := len(all) - maxListed; more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		if len(order) == 1 {
			if len(pods) == 1 {
				return "1 pod of " + namespace, text
			}
			return fmt.Sprintf("%d pods of %s", len(pods), namespace), text
		}
		texts = append(texts, fmt.Sprintf("%d of %s (%s)", len(all), namespace, text))
	}
	return fmt.Sprintf("%d pods", len(pods)), strings.Join(texts, ", ")
}
