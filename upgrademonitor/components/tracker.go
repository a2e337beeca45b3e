package components

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/truncate"
)

const (
	lasting      = 2 * time.Minute  // a shorter pass or error does not appear in a condition
	stuckAfter   = 30 * time.Minute // after this time, a pass makes Degraded True
	inheritedFor = 10 * time.Minute // so long, a process keeps Degraded=True of an earlier process
	maxErrors    = 64
	maxKey       = 253 // the longest name of an object
)

// stateKey identifies a step: its State, and the name of the object that it works on, or "".
type stateKey struct {
	state State
	key   string
}

// newStateKey returns a stateKey. A State that cannot be a part of a reason becomes Errored.
func newStateKey(s State, key string) stateKey {
	if !validState.MatchString(string(s)) {
		s = Errored
	}
	return stateKey{s, truncate.To(key, maxKey)}
}

func (s stateKey) message(text string) string {
	if s.key == "" {
		return text
	}
	return s.key + ": " + text
}

// pass is one run of a step, from Begin to end. A step may have several passes at the same time.
type pass struct {
	stateKey
	started time.Time
}

// problem is an error of a step, or a pass that takes too long.
type problem struct {
	stateKey
	since           time.Time // the time of the first error, or when the pass exceeded the limit
	reason, message string
}

// tracker has the running passes and the errors of a process, and the conditions of other components.
// The caller must hold Reporter.mu.
type tracker struct {
	component Component
	sync      State                // OperatorSync or MCCSync
	readAt    time.Time            // the time when Run read the conditions of an earlier process
	inherited bool                 // Degraded=True of an earlier process stays
	running   map[*pass]bool       // the passes that have not ended
	errors    map[stateKey]problem // unresolved errors, at most maxErrors
	peers     []metav1.Condition   // conditions of other components
	lastStep  State                // the most recently started step of the sync
	succeeded bool                 // a pass has succeeded
	synced    bool                 // a whole sync has succeeded
}

func newTracker(c Component) *tracker {
	return &tracker{
		component: c, sync: writers[c].sync, inherited: true,
		running: map[*pass]bool{}, errors: map[stateKey]problem{},
	}
}

// isStep reports whether a State is a step of the whole sync.
func (t *tracker) isStep(s State) bool {
	return s != t.sync && strings.HasPrefix(string(s), string(t.sync))
}

func (t *tracker) start(s stateKey, now time.Time) *pass {
	if t.isStep(s.state) {
		t.lastStep = s.state
	}
	p := &pass{s, now}
	t.running[p] = true
	return p
}

// end ends a pass. It returns false if the pass has already ended or was forgotten.
func (t *tracker) end(p *pass) bool {
	wasRunning := t.running[p]
	delete(t.running, p)
	return wasRunning
}

// succeed ends a pass without an error, and resolves the error of its step.
func (t *tracker) succeed(p *pass) {
	if !t.end(p) {
		return
	}
	t.succeeded = true
	t.synced = t.synced || p.state == t.sync
	delete(t.errors, p.stateKey)
}

// fail ends a pass with an error. It drops a new error if there are already maxErrors errors.
func (t *tracker) fail(p *pass, text string, now time.Time) {
	known, isKnown := t.errors[p.stateKey]
	if !t.end(p) || !isKnown && len(t.errors) == maxErrors {
		return
	}
	switch {
	case isKnown:
		now = known.since
	case now.Sub(p.started) >= stuckAfter: // Degraded is True, and stays
		now = now.Add(-lasting)
	}
	t.errors[p.stateKey] = problem{p.stateKey, now, string(p.state) + failedSuffix, p.message(text)}
}

// forget removes the error of a step, and ends its running passes without a result.
func (t *tracker) forget(s stateKey) {
	maps.DeleteFunc(t.running, func(p *pass, _ bool) bool { return p.stateKey == s })
	delete(t.errors, s)
}

// runningFor returns a problem for each pass that has been running for at least the limit. The
// reason of the problem ends with the suffix.
func (t *tracker) runningFor(limit time.Duration, suffix string, now time.Time) (list []problem) {
	for p := range t.running {
		if now.Sub(p.started) >= limit {
			text := p.message("running since " + timestamp(p.started))
			list = append(list, problem{p.stateKey, p.started.Add(limit), string(p.state) + suffix, text})
		}
	}
	return list
}

// newestFirst sorts problems. If a step of the sync has a problem, it omits the problem of the whole
// sync, which is the same problem.
func (t *tracker) newestFirst(list []problem) []problem {
	if slices.ContainsFunc(list, func(p problem) bool { return t.isStep(p.state) }) {
		list = slices.DeleteFunc(list, func(p problem) bool { return p.state == t.sync })
	}
	slices.SortFunc(list, func(a, b problem) int {
		return cmp.Or(b.since.Compare(a.since), cmp.Compare(a.reason, b.reason), cmp.Compare(a.message, b.message))
	})
	return list
}

// progressing returns the condition Progressing of this process. It is True while a pass has been
// running for 2 minutes, and describes the longest pass.
func (t *tracker) progressing(now time.Time) metav1.Condition {
	list := t.newestFirst(t.runningFor(lasting, "", now))
	if len(list) == 0 {
		return condition(metav1.ConditionFalse, asExpected, "")
	}
	longest := list[len(list)-1]
	return condition(metav1.ConditionTrue, longest.reason, longest.message)
}

// degraded returns the condition Degraded of this process. It is True while an error has lasted for 2
// minutes, or a pass has been running for 30 minutes. True of an earlier process stays until a whole
// sync has succeeded, until this process has a problem to show or, if it has no error, for ten minutes.
// Degraded is Unknown until the first pass of a cluster has succeeded.
func (t *tracker) degraded(previous metav1.Condition, now time.Time) metav1.Condition {
	problems := t.runningFor(stuckAfter, stuckSuffix, now)
	for _, f := range t.errors {
		if now.Sub(f.since) >= lasting {
			problems = append(problems, f)
		}
	}
	problems = t.newestFirst(problems)
	isOver := now.Sub(t.readAt) >= inheritedFor && len(t.errors) == 0
	t.inherited = t.inherited && !isOver && !t.synced && len(problems) == 0
	isTrue := previous.Status == metav1.ConditionTrue
	switch n := len(problems); {
	case n > 1:
		return condition(metav1.ConditionTrue, problems[0].reason, fmt.Sprintf("%s; and %d more", problems[0].message, n-1))
	case n == 1:
		return condition(metav1.ConditionTrue, problems[0].reason, problems[0].message)
	case isTrue && t.inherited:
		return previous
	case isTrue:
		return condition(metav1.ConditionFalse, asExpected, lastError(previous, now))
	case previous.Status == metav1.ConditionFalse:
		return condition(metav1.ConditionFalse, asExpected, previous.Message)
	case t.succeeded:
		return condition(metav1.ConditionFalse, asExpected, "")
	}
	return condition(metav1.ConditionUnknown, "Starting", "No step of this process has succeeded yet")
}
