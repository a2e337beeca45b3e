package components

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	maxFaults        = 64
	inheritedTimeout = 10 * time.Minute
)

// fault is an unresolved error of a step.
type fault struct {
	shown step      // the step that failed: for a sync, the failed step of it
	text  string    // as returned, and shortened
	since time.Time // of the first failure in a row
	last  time.Time // of the last one
}

// faults are the unresolved errors of a process. Time is an argument.
type faults struct {
	inertia   time.Duration
	open      map[step]*fault // at most maxFaults
	succeeded bool            // a pass has
	synced    bool            // a whole sync has
	inherited time.Time       // when Degraded=True of an earlier process was taken over; zero if it is over
}

// failed records the error of a pass. If a step of the pass has failed, too, its error is shown: the
// resolution of the step must not change the message until the sync ends.
func (f *faults) failed(p *pass, text string, now time.Time) {
	e := f.open[p.step]
	if e == nil {
		e = &fault{since: now}
		if len(f.open) >= maxFaults {
			e.since = f.evict() // too many errors are no reason to seem healthy
		}
		f.open[p.step] = e
	}
	e.last, e.shown, e.text = now, p.step, text
	if child := f.failedStep(p); child != nil {
		e.shown, e.text = child.shown, child.text
	}
}

// failedStep returns the newest error of a step of a sync that failed since the sync began, or nil.
func (f *faults) failedStep(sync *pass) *fault {
	var newest *fault
	for s, e := range f.open {
		if e.last.Before(sync.began) {
			continue
		}
		if parent, ok := ParentOf(s.state); !ok || parent != sync.step.state {
			continue
		}
		if newest == nil || cmp.Or(newest.last.Compare(e.last), s.compare(newest.shown)) < 0 {
			newest = e
		}
	}
	return newest
}

// evict removes the oldest error, and returns since when it lasted.
func (f *faults) evict() time.Time {
	oldest := slices.MinFunc(slices.Collect(maps.Keys(f.open)), func(a, b step) int {
		x, y := f.open[a], f.open[b]
		return cmp.Or(x.since.Compare(y.since), x.last.Compare(y.last), a.compare(b))
	})
	since := f.open[oldest].since
	delete(f.open, oldest)
	return since
}

// passed records a success, and reports whether it may change a condition.
func (f *faults) passed(s step) bool {
	changed := f.forget(s) || !f.succeeded
	f.succeeded = true
	if isSync(s.state) && !f.synced {
		f.synced, changed = true, true
	}
	return changed
}

// forget drops the error of a step, and reports whether there was one.
func (f *faults) forget(s step) bool {
	_, found := f.open[s]
	delete(f.open, s)
	return found
}

// degraded returns the Degraded condition of the process, given the one before:
//
//   - True while an error is older than the inertia. Its message is the newest one, and how many more
//     there are.
//   - What an earlier process has published, until the first sync has succeeded, an error of this
//     process takes its place, or ten minutes have passed without one.
//   - Unknown until a pass has succeeded, else False.
func (f *faults) degraded(was *metav1.Condition, now time.Time) metav1.Condition {
	newest, more := f.unresolved(now)
	switch {
	case newest != nil:
		f.inherited = time.Time{}
		suffix := ""
		if more > 0 {
			suffix = fmt.Sprintf("; and %d more", more)
		}
		message := oneLine(newest.shown.prefix()+newest.text, maxMessage-len(suffix)) + suffix
		return metav1.Condition{Status: metav1.ConditionTrue, Reason: failedReason(newest.shown.state), Message: message}
	case was != nil && !f.inherited.IsZero() && !f.synced && (now.Sub(f.inherited) < inheritedTimeout || len(f.open) > 0):
		return *was
	}
	f.inherited = time.Time{}
	if f.succeeded || was != nil && was.Status != metav1.ConditionUnknown {
		return metav1.Condition{Status: metav1.ConditionFalse, Reason: reasonAsExpected}
	}
	return metav1.Condition{Status: metav1.ConditionUnknown, Reason: reasonStarting, Message: "No pass has succeeded yet"}
}

// unresolved returns the newest of the errors that are older than the inertia, nil if there is none, and how
// many more there are. One that is shown for both a step and its sync is one error.
func (f *faults) unresolved(now time.Time) (newest *fault, more int) {
	shown := map[step]bool{}
	for _, e := range f.open {
		if now.Sub(e.since) < f.inertia {
			continue
		}
		shown[e.shown] = true
		if newest == nil || cmp.Or(newest.since.Compare(e.since), e.shown.compare(newest.shown), newest.last.Compare(e.last)) < 0 {
			newest = e
		}
	}
	return newest, len(shown) - 1
}

// Fault is an error of a component, as its Degraded condition has it.
type Fault struct {
	Component Component   `json:"-"`
	State     State       `json:"state"` // Errored if the reason is not that of a state
	Message   string      `json:"message"`
	Since     metav1.Time `json:"since"` // when the component became Degraded, or when the error was resolved
	Resolved  bool        `json:"resolved"`
}

// lastErrorRegexp matches the message of Degraded=False after an error.
var lastErrorRegexp = regexp.MustCompile(`^Last error, resolved (\S+), in (\w+): (.*)$`)

// lastError returns the message of Degraded=False after an error.
func lastError(degraded metav1.Condition, resolved time.Time) string {
	at := resolved.UTC().Format(time.RFC3339)
	return oneLine(fmt.Sprintf("Last error, resolved %s, in %s: %s", at, stateOf(degraded.Reason), degraded.Message), maxLastError)
}

// lastErrors are the messages of the errors that were resolved last, by condition type.
type lastErrors map[string]string

// complete adds the last error to the message of a Degraded condition, given the one before.
func (l lastErrors) complete(c, was *metav1.Condition, now time.Time) {
	switch fault, ok := faultOf("", was); {
	case ok && fault.Resolved:
		l[c.Type] = was.Message
	case ok && c.Status != metav1.ConditionTrue:
		l[c.Type] = lastError(*was, now)
	}
	if c.Status == metav1.ConditionFalse && c.Message == "" {
		c.Message = l[c.Type]
	}
}

// faultOf returns the error that a Degraded condition is about.
func faultOf(c Component, degraded *metav1.Condition) (Fault, bool) {
	if degraded == nil {
		return Fault{}, false
	}
	if degraded.Status == metav1.ConditionTrue {
		return Fault{Component: c, State: stateOf(degraded.Reason), Message: degraded.Message, Since: degraded.LastTransitionTime}, true
	}
	match := lastErrorRegexp.FindStringSubmatch(degraded.Message)
	if degraded.Status != metav1.ConditionFalse || match == nil || !isState(State(match[2])) {
		return Fault{}, false
	}
	at, err := time.Parse(time.RFC3339, match[1])
	return Fault{Component: c, State: State(match[2]), Message: match[3], Since: metav1.NewTime(at), Resolved: true}, err == nil
}

// MostRecentError returns the newest unresolved error, else the one that was resolved last, else false.
func MostRecentError(list []metav1.Condition) (Fault, bool) {
	var newest Fault
	found := false
	for _, component := range withHealth {
		fault, ok := faultOf(component, meta.FindStatusCondition(list, TypeOf(component, Degraded)))
		isNewer := !found || newest.Resolved && !fault.Resolved || newest.Resolved == fault.Resolved && newest.Since.Before(&fault.Since)
		if ok && isNewer {
			newest, found = fault, true
		}
	}
	return newest, found
}
