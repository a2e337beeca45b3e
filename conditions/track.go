package conditions

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// track has the statuses that the writes of a report give to one condition. The number of writes
// before the first status of path is delay.
type track struct {
	phase           phases.Phase
	delay           int
	path            []metav1.ConditionStatus
	reason, message string
}

// transitions returns the lists, one per write, that give the reported phase the statuses of path.
// They also change its parent.
func transitions(before []metav1.Condition, r Report, path []metav1.ConditionStatus) ([][]metav1.Condition, error) {
	parentPhase, _ := phases.ParentOf(r.Phase)
	_, siblingRuns := runningChild(before, parentPhase, r.Phase)
	r.CompletesParent = r.CompletesParent && !siblingRuns
	child := track{phase: r.Phase, path: path, reason: r.Reason, message: r.Message}
	own := Find(before, r.Phase)
	changed := len(path) > 0 || own.Reason != r.Reason || own.Message != r.Message

	parent, err := parentTrack(before, r, len(path) > 0)
	if err != nil {
		return nil, err
	}
	writes := max(len(child.path), len(parent.path), 1)
	child.delay = writes - len(child.path)
	if r.Status == metav1.ConditionUnknown || r.CompletesParent {
		parent.delay = writes - len(parent.path) // phase and parent reach their final status in the same write
	}

	var lists [][]metav1.Condition
	for i, last := 0, before; i < writes; i++ {
		next := slices.Clone(last)
		child.advance(next, i, writes)
		if changed || len(parent.path) > 0 {
			parent.advance(next, i, writes)
		}
		lists = append(lists, next)
		last = next
	}
	return lists, nil
}

// parentTrack returns the track of the parent of the reported phase, or the zero track if the
// report does not change a parent. changes is set if the report changes the status of the phase.
func parentTrack(before []metav1.Condition, r Report, changes bool) (track, error) {
	parent, ok := phases.ParentOf(r.Phase)
	if !ok {
		return track{}, nil
	}
	if r.isLate(Find(before, parent)) {
		return track{}, nil
	}
	from := StatusOf(before, parent)
	to := from
	switch {
	case r.CompletesParent:
		to = metav1.ConditionTrue
	case r.Status == metav1.ConditionUnknown && changes, from == metav1.ConditionFalse:
		to = metav1.ConditionUnknown
	}
	path, err := phases.Path(parent, from, to)
	if err != nil {
		return track{}, err
	}
	notStarted := r.NotRequired && r.Status == metav1.ConditionFalse
	if len(path) == 0 && (notStarted || !r.hasParentMessage(to)) {
		return track{}, nil
	}
	t := track{phase: parent, path: path, reason: string(r.Phase), message: r.parentMessage()}
	if r.Status == metav1.ConditionTrue && to == metav1.ConditionUnknown {
		t.reason, t.message = unfinishedText(before, t, r.Phase)
	}
	return t, nil
}

// unfinishedText returns the reason and the message of a parent that stays Unknown when one of its
// children turns True. If another child is Unknown, it is the text of that child, because it may
// have failed: then its text shows the cause.
func unfinishedText(before []metav1.Condition, t track, child phases.Phase) (reason, message string) {
	sibling, ok := runningChild(before, t.phase, child)
	if !ok {
		return t.reason, t.message
	}
	parent := Find(before, t.phase)
	if last := phases.Phase(parent.Reason); last != child && isUnknownChild(before, last, t.phase) {
		return parent.Reason, parent.Message // reported after sibling, perhaps with a ParentMessage
	}
	return string(sibling), Truncate(Find(before, sibling).Message)
}

// runningChild returns the first Unknown child of a parent. The child that is passed as ignored
// does not count. A parent cannot complete while a child is Unknown.
func runningChild(list []metav1.Condition, parent, ignored phases.Phase) (phases.Phase, bool) {
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

// advance changes the list for the i-th of n writes. If path is empty, the last write changes only
// the reason and the message.
func (t track) advance(list []metav1.Condition, i, n int) {
	if t.phase == "" {
		return
	}
	at := i - t.delay
	switch {
	case at >= 0 && at < len(t.path):
		set(list, t.phase, t.path[at], t.reason, t.message)
	case len(t.path) == 0 && i == n-1:
		set(list, t.phase, StatusOf(list, t.phase), t.reason, t.message)
	}
}
