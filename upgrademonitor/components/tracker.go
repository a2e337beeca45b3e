package components

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
)

const (
	// lasting is how long a pass must run, or an error must last, until it is published.
	lasting = 2 * time.Minute
	// stuckAfter is how long a pass may run.
	stuckAfter = 30 * time.Minute
	// inheritedFor is how long Degraded=True of an earlier process stays.
	inheritedFor = 10 * time.Minute

	maxErrors  = 64
	maxRunning = 1024 // bounds the memory of a process that never ends its passes
	maxKey     = 253  // the longest name of an object
)

// step is a state and the key of the object that the process works on, such as a pool.
type step struct {
	state State
	key   string
}

func newStep(s State, key string) step { return step{s, conditions.TruncateTo(shorten(key), maxKey)} }

func (s step) message(text string) string {
	if s.key == "" {
		return text
	}
	return s.key + ": " + text
}

// pass is one run of a step. Passes of one step may overlap.
type pass struct {
	step
	started time.Time
	over    bool // it has ended, or its step was forgotten
}

// fault is an unresolved error of a step.
type fault struct {
	since time.Time // the first failure in a row
	text  string    // of the last failure, at most a few kB
}

// tracker knows what a process does, its errors, and the conditions of its peers. It computes the
// conditions of the process. Callers lock, and pass the time.
type tracker struct {
	component Component
	taken     time.Time // when the conditions of an earlier process were taken over
	running   map[*pass]bool
	errors    map[step]fault  // at most maxErrors
	peers     map[string]peer // by condition type
	at        State           // the step of a sync that started last
	succeeded bool            // a pass has succeeded
	synced    bool            // a whole sync has succeeded
	recovered bool            // an error of this process had lasted, and is resolved
}

func newTracker(c Component) *tracker {
	return &tracker{component: c, running: map[*pass]bool{}, errors: map[step]fault{}, peers: map[string]peer{}}
}

func (t *tracker) start(s step, now time.Time) *pass {
	p := &pass{step: s, started: now}
	if len(t.running) < maxRunning {
		t.running[p] = true
	}
	if syncOf(s.state) != "" {
		t.at = s.state
	}
	return p
}

// end ends a pass without a result. It returns false if the pass was over.
func (t *tracker) end(p *pass) bool {
	wasOver := p.over
	p.over = true
	delete(t.running, p)
	return !wasOver
}

// succeed ends a pass without an error, and resolves the error of its step. It reports whether this
// may change a condition.
func (t *tracker) succeed(p *pass, now time.Time) bool {
	if !t.end(p) {
		return false
	}
	_, isResolved := t.errors[p.step]
	isFirst := !t.succeeded || isSync(p.state) && !t.synced
	t.succeeded, t.synced = true, t.synced || isSync(p.state)
	t.resolve(p.step, now)
	return isResolved || isFirst || now.Sub(p.started) >= lasting
}

func (t *tracker) resolve(s step, now time.Time) {
	f, ok := t.errors[s]
	t.recovered = t.recovered || ok && now.Sub(f.since) >= lasting
	delete(t.errors, s)
}

// fail ends a pass with an error. Of more than maxErrors errors, the first errors are kept.
func (t *tracker) fail(p *pass, text string, now time.Time) {
	f, ok := t.errors[p.step]
	if !t.end(p) || !ok && len(t.errors) == maxErrors {
		return
	}
	if !ok {
		f.since = now
	}
	t.errors[p.step] = fault{f.since, text}
}

// forget drops the error of a step. Its running passes have no result.
func (t *tracker) forget(s step, now time.Time) {
	for p := range t.running {
		if p.step == s {
			t.end(p)
		}
	}
	t.resolve(s, now)
}

// problem is a step that fails or takes long.
type problem struct {
	step
	since           time.Time
	reason, message string
}

// runningFor returns the passes that run for longer than a limit.
func (t *tracker) runningFor(limit time.Duration, suffix string, now time.Time) (list []problem) {
	for p := range t.running {
		if now.Sub(p.started) >= limit {
			list = append(list, problem{p.step, p.started.Add(limit), string(p.state) + suffix, p.message("running since " + timestamp(p.started))})
		}
	}
	return list
}

// newestFirst sorts problems. The problem of a sync is omitted if a step of it has a problem: it is
// the same.
func newestFirst(list []problem) []problem {
	explained := map[State]bool{}
	for _, p := range list {
		explained[syncOf(p.state)] = true
	}
	list = slices.DeleteFunc(list, func(p problem) bool { return explained[p.state] })
	slices.SortFunc(list, func(a, b problem) int {
		return cmp.Or(b.since.Compare(a.since), cmp.Compare(a.state, b.state), cmp.Compare(a.key, b.key), cmp.Compare(a.reason, b.reason))
	})
	return list
}

// progressing returns Progressing of the process: True while a pass takes long, with the longest pass.
func (t *tracker) progressing(now time.Time) metav1.Condition {
	list := newestFirst(t.runningFor(lasting, "", now))
	if len(list) == 0 {
		return condition(metav1.ConditionFalse, asExpected, "")
	}
	longest := list[len(list)-1]
	return condition(metav1.ConditionTrue, longest.reason, longest.message)
}

// degraded returns Degraded of the process, given the previous condition:
//
//  1. True while there is a problem, with the newest problem and the number of others.
//  2. The condition stays while a sync is retried whose failed step has just succeeded.
//  3. True as an earlier process left it stays until a whole sync has succeeded, an error of this
//     process had lasted and is resolved, or ten minutes have passed without an error.
//  4. Unknown until a pass has succeeded, else False, with the last error.
func (t *tracker) degraded(was metav1.Condition, now time.Time) metav1.Condition {
	problems, isTrue := t.runningFor(stuckAfter, stuckSuffix, now), was.Status == metav1.ConditionTrue
	for s, f := range t.errors {
		if now.Sub(f.since) >= lasting {
			problems = append(problems, problem{s, f.since, string(s.state) + failedSuffix, s.message(f.text)})
		}
	}
	problems = newestFirst(problems)
	isInherited := !t.synced && !t.recovered && (now.Sub(t.taken) < inheritedFor || len(t.errors) > 0)
	switch {
	case len(problems) > 0 && t.isRetried(problems[0], was), len(problems) == 0 && isTrue && isInherited:
		return was
	case len(problems) > 1:
		message := fmt.Sprintf("%s; and %d more", problems[0].message, len(problems)-1)
		return condition(metav1.ConditionTrue, problems[0].reason, message)
	case len(problems) == 1:
		return condition(metav1.ConditionTrue, problems[0].reason, problems[0].message)
	case isTrue:
		return condition(metav1.ConditionFalse, asExpected, lastError(was, now))
	case was.Status == metav1.ConditionFalse:
		return condition(metav1.ConditionFalse, asExpected, was.Message)
	case t.succeeded:
		return condition(metav1.ConditionFalse, asExpected, "")
	}
	return condition(metav1.ConditionUnknown, "Starting", "No pass has succeeded yet")
}

// isRetried reports whether p is the error of a sync that is running, and was is about a step of it.
func (t *tracker) isRetried(p problem, was metav1.Condition) bool {
	if was.Status != metav1.ConditionTrue || syncOf(stateOf(was.Reason)) != p.state || strings.HasSuffix(p.reason, stuckSuffix) {
		return false
	}
	for running := range t.running {
		if running.step == p.step {
			return true
		}
	}
	return false
}
