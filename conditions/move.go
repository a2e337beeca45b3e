package conditions

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// track is the way of one condition through the writes of a report: it rests for some
// writes, then takes one status a write.
type track struct {
	phase           phases.Phase
	rest            int
	path            []metav1.ConditionStatus
	reason, message string
}

// move takes a phase along its path within an update, and its parent with it.
func move(before []metav1.Condition, r Report, path []metav1.ConditionStatus) ([][]metav1.Condition, error) {
	child := track{phase: r.Phase, path: path, reason: r.Reason, message: r.Message}
	own := find(before, r.Phase)
	changed := len(path) > 0 || own.Reason != r.Reason || own.Message != r.Message

	parent, err := parentTrack(before, r, len(path) > 0)
	if err != nil {
		return nil, err
	}
	writes := max(len(child.path), len(parent.path), 1)
	child.rest = writes - len(child.path)
	if r.Status == metav1.ConditionUnknown || r.CompletesParent {
		parent.rest = writes - len(parent.path) // they arrive together
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

// parentTrack is what a report does to the parent of its phase: the zero track where
// there is no parent, or where the report leaves it alone.
func parentTrack(before []metav1.Condition, r Report, moves bool) (track, error) {
	parent, ok := phases.ParentOf(r.Phase)
	if !ok {
		return track{}, nil
	}
	from := StatusOf(before, parent)
	to := from
	switch {
	case r.CompletesParent:
		to = metav1.ConditionTrue
	case r.Status == metav1.ConditionUnknown && moves, from == metav1.ConditionFalse:
		to = metav1.ConditionUnknown
	}
	path, err := phases.Path(parent, from, to)
	if err != nil {
		return track{}, err
	}
	if len(path) == 0 && !r.speaksFor(to) {
		return track{}, nil
	}
	return track{phase: parent, path: path, reason: string(r.Phase), message: r.parentMessage()}, nil
}

// advance makes the i-th of n writes of the track. A track that does not move, or is still
// to say something when it has moved, says it in the last write.
func (t track) advance(list []metav1.Condition, i, n int) {
	if t.phase == "" {
		return
	}
	at := i - t.rest
	switch {
	case at >= 0 && at < len(t.path):
		set(list, t.phase, t.path[at], t.reason, t.message)
	case len(t.path) == 0 && i == n-1:
		set(list, t.phase, StatusOf(list, t.phase), t.reason, t.message)
	}
}

// speaksFor reports whether what is said is said of a parent of that status too: that a
// child runs in it, or completes it, or what the caller wants it to say.
func (r Report) speaksFor(parent metav1.ConditionStatus) bool {
	runs := r.Status == metav1.ConditionUnknown && parent == metav1.ConditionUnknown
	return runs || r.CompletesParent || r.ParentMessage != ""
}

func (r Report) parentMessage() string {
	if r.ParentMessage != "" {
		return r.ParentMessage
	}
	return r.Message
}
