package components

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// desired returns the desired conditions of this process, given the published ones, and how long they
// stay unchanged without an event. It is pure except for the expiry of passes and errors that are kept;
// callers hold mu.
//
// A condition that is not known yet is kept as it is published, or omitted.
func (r *Reporter) desired(published []metav1.Condition, now time.Time) ([]metav1.Condition, time.Duration) {
	r.tracker.advance(now)
	wait, _ := r.tracker.next(now)
	var list []metav1.Condition
	for _, t := range typesOf(r.config.Component) {
		was := find(published, t.name())
		var c metav1.Condition
		switch {
		case t.judged():
			var left time.Duration
			c, left = r.judged(t, was, now)
			if left > 0 && (wait == 0 || left < wait) {
				wait = left
			}
		case t.component == Bootstrap:
			c = r.bootstrap()
		case t.aspect == Degraded:
			c = r.tracker.degraded(was, now)
		default:
			c = r.tracker.progressing(now)
		}
		if c.Status == "" {
			continue
		}
		c.Type = t.name()
		list = append(list, c)
	}
	limitHealthyMessages(list)
	return list, wait
}

func (r *Reporter) judged(t conditionType, was *metav1.Condition, now time.Time) (metav1.Condition, time.Duration) {
	j := r.judgements[t.name()]
	if j == nil {
		return r.judgements.current(t, was, 0, now)
	}
	c, left := r.judgements.current(t, was, r.config.minDuration(t, j.condition.Status), now)
	if t.aspect == Degraded {
		j.remember(was)
		c.Message = j.withLastError(c)
	}
	return c, left
}

// degraded is True while an error is older than persist, and Unknown until the first pass has succeeded.
// While errors of an earlier process may last whose texts are not known, it stays as published.
func (t *tracker) degraded(was *metav1.Condition, now time.Time) metav1.Condition {
	if faults := t.unresolved(now); len(faults) > 0 {
		f := faults[0]
		message := withOthers(f.shown.message(f.text), len(faults)-1+t.adopted.others)
		return metav1.Condition{Status: metav1.ConditionTrue, Reason: failedReason(f.shown.state), Message: message}
	}
	if t.adopted.others > 0 && was != nil && was.Status == metav1.ConditionTrue {
		return metav1.Condition{Status: was.Status, Reason: was.Reason, Message: oneLine(was.Message, maxMessage)}
	}
	ok := metav1.Condition{Status: metav1.ConditionFalse, Reason: reasonAsExpected}
	switch {
	case t.resolved != nil:
		ok.Message = lastErrorSentence(*t.resolved)
		return ok
	case len(t.succeeded) > 0, was != nil && was.Status == metav1.ConditionFalse:
		return ok
	default:
		return metav1.Condition{Status: metav1.ConditionUnknown, Reason: reasonStarting, Message: "No pass has succeeded yet"}
	}
}

// progressing is True while a pass takes longer than dwell.
func (t *tracker) progressing(now time.Time) metav1.Condition {
	p := t.slow(now)
	if p == nil {
		return metav1.Condition{Status: metav1.ConditionFalse, Reason: reasonAsExpected}
	}
	return metav1.Condition{
		Status:  metav1.ConditionTrue,
		Reason:  string(p.step.state),
		Message: fmt.Sprintf("%s has been running since %s", p.step, p.began.UTC().Format(time.RFC3339)),
	}
}

// stamp sets lastTransitionTime: to that of the published condition, or of the last attempt to write it,
// if the status is the same, and to now if it has changed. It never decreases.
func stamp(list, published, attempted []metav1.Condition, now time.Time) {
	for i := range list {
		c := &list[i]
		was, tried := find(published, c.Type), find(attempted, c.Type)
		switch {
		case was != nil && was.Status == c.Status:
			c.LastTransitionTime = was.LastTransitionTime
		case tried != nil && tried.Status == c.Status:
			c.LastTransitionTime = tried.LastTransitionTime
		default:
			c.LastTransitionTime = seconds(now)
			if was != nil && c.LastTransitionTime.Before(&was.LastTransitionTime) {
				c.LastTransitionTime = was.LastTransitionTime
			}
		}
	}
}

// equal reports whether two lists have the same conditions in the same order.
func equal(a, b []metav1.Condition) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameCondition(a[i], b[i]) {
			return false
		}
	}
	return true
}

// includes reports whether a list has all of some conditions.
func includes(list, some []metav1.Condition) bool {
	for _, want := range some {
		if c := find(list, want.Type); c == nil || !sameCondition(*c, want) {
			return false
		}
	}
	return true
}

func sameCondition(a, b metav1.Condition) bool {
	return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message &&
		a.LastTransitionTime.Equal(&b.LastTransitionTime)
}

// own returns the conditions of a list that a process writes, in its order.
func own(list []metav1.Condition, writer Component) []metav1.Condition {
	var found []metav1.Condition
	for _, t := range typesOf(writer) {
		if c := find(list, t.name()); c != nil {
			found = append(found, *c)
		}
	}
	return found
}
