package conditions

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// sequence has the changes that the writes of a report make to one condition.
type sequence struct {
	phase           phases.Phase
	delay           int                      // the number of writes before the first change
	path            []metav1.ConditionStatus // the status after each of the next writes
	reason, message string
}

// changePhase returns the lists for a report, one per write. path has the statuses that the reported
// phase goes through. The same writes change the parent of the phase.
func changePhase(before []metav1.Condition, r Report, path []metav1.ConditionStatus) [][]metav1.Condition {
	parentPhase, _ := phases.ParentOf(r.Phase)
	_, hasUnknownSibling := unknownChild(before, parentPhase, r.Phase)
	r.CompletesParent = r.CompletesParent && !hasUnknownSibling
	child := sequence{phase: r.Phase, path: path, reason: r.Reason, message: r.Message}
	own := Find(before, r.Phase)
	isChanged := len(path) > 0 || own.Reason != r.Reason || own.Message != r.Message

	parent := parentSequence(before, r, len(path) > 0)
	writes := max(len(child.path), len(parent.path), 1)
	child.delay = writes - len(child.path)
	if r.Status == metav1.ConditionUnknown || r.CompletesParent {
		parent.delay = writes - len(parent.path) // phase and parent reach their final status in the same write
	}

	var lists [][]metav1.Condition
	for i, last := 0, before; i < writes; i++ {
		next := slices.Clone(last)
		child.apply(next, i, writes)
		if isChanged || len(parent.path) > 0 {
			parent.apply(next, i, writes)
		}
		lists = append(lists, next)
		last = next
	}
	return lists
}

// parentSequence returns the sequence of the parent of the reported phase. It returns the zero
// value if the report does not change a parent. isNewStatus is set if the report changes the status
// of its phase.
func parentSequence(before []metav1.Condition, r Report, isNewStatus bool) sequence {
	parent, ok := phases.ParentOf(r.Phase)
	if !ok || r.isLate(Find(before, parent)) {
		return sequence{}
	}
	from := StatusOf(before, parent)
	to := from
	switch {
	case r.CompletesParent:
		to = metav1.ConditionTrue
	case r.Status == metav1.ConditionUnknown && isNewStatus, from == metav1.ConditionFalse:
		to = metav1.ConditionUnknown
	}
	path, _ := phases.Path(parent, from, to) // a step can always change to Unknown and True
	notStarted := r.NotRequired && r.Status == metav1.ConditionFalse
	if len(path) == 0 && (notStarted || !r.hasParentMessage(to)) {
		return sequence{}
	}
	s := sequence{phase: parent, path: path, reason: string(r.Phase), message: r.parentMessage()}
	if r.Status == metav1.ConditionTrue && to == metav1.ConditionUnknown {
		s.reason, s.message = unfinishedText(before, s, r.Phase)
	}
	return s
}

// unfinishedText returns the reason and the message of a parent that stays Unknown when one of its
// children turns True. If another child is Unknown, the text of that child is used, because that
// child may have failed, and its text then shows the cause.
func unfinishedText(before []metav1.Condition, s sequence, child phases.Phase) (reason, message string) {
	sibling, ok := unknownChild(before, s.phase, child)
	if !ok {
		return s.reason, s.message
	}
	parent := Find(before, s.phase)
	if last := phases.Phase(parent.Reason); last != child && isUnknownChild(before, last, s.phase) {
		return parent.Reason, parent.Message // the parent already shows another Unknown child
	}
	return string(sibling), Find(before, sibling).Message
}

// unknownChild returns the first Unknown child of a parent, except the ignored child. A parent
// cannot turn True while a child is Unknown.
func unknownChild(list []metav1.Condition, parent, ignored phases.Phase) (phases.Phase, bool) {
	for i := range list {
		if child := phases.Phase(list[i].Type); child != ignored && isUnknownChild(list, child, parent) {
			return child, true
		}
	}
	return "", false
}

func isUnknownChild(list []metav1.Condition, p, parent phases.Phase) bool {
	of, ok := phases.ParentOf(p)
	return ok && of == parent && StatusOf(list, p) == metav1.ConditionUnknown
}

// apply changes the list for write i, which counts from 0 to writes-1. If path is empty, the last
// write changes only the reason and the message.
func (s sequence) apply(list []metav1.Condition, i, writes int) {
	if s.phase == "" {
		return
	}
	at := i - s.delay
	switch {
	case at >= 0 && at < len(s.path):
		set(list, s.phase, s.path[at], s.reason, s.message)
	case len(s.path) == 0 && i == writes-1:
		set(list, s.phase, StatusOf(list, s.phase), s.reason, s.message)
	}
}
