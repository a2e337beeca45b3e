package components

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"
)

// Pass is one run of a step, from Begin to End.
type Pass struct {
	reporter *Reporter
	step     step
	began    time.Time // guarded by the Reporter's mu
	entered  time.Time
	ended    bool // guarded by the Reporter's mu
}

// before orders passes by their precedence in a condition.
func (p *Pass) before(other *Pass) bool {
	_, child := ParentOf(p.step.state)
	_, otherChild := ParentOf(other.step.state)
	if child != otherChild {
		return child
	}
	if !p.began.Equal(other.began) {
		return p.began.Before(other.began)
	}
	return p.step.compare(other.step) < 0
}

// Begin reports that the process enters a state. key distinguishes passes that may run at the same time:
// the name of the pool, or "" if there is only one. Each Begin needs its End.
//
// A state that this process cannot be in is logged once, and its pass is ignored. A nil Reporter is
// valid: a process without the feature keeps its calls.
func (r *Reporter) Begin(s State, key string) *Pass {
	if r == nil || !r.reports(s) {
		return nil
	}
	now := r.config.Clock.Now()
	p := &Pass{reporter: r, step: step{s, shortKey(key)}, began: now, entered: now}
	r.mu.Lock()
	r.tracker.begin(p)
	r.mu.Unlock()
	if r.config.Observer != nil {
		r.config.Observer.Entered(r.config.Component, s)
	}
	return p
}

// End reports that the pass is over, and its error: nil resolves the error of an earlier pass of the
// same state and key. A second End does nothing.
func (p *Pass) End(err error) {
	if p == nil {
		return
	}
	text := errorText(err)
	p.reporter.end(p, err, func(now time.Time) bool {
		if err == nil {
			return p.reporter.tracker.succeed(p, now)
		}
		p.reporter.tracker.fail(p, text, now)
		return true
	})
}

// abandon ends a pass without an outcome.
func (p *Pass) abandon(err error) {
	p.reporter.end(p, err, func(time.Time) bool {
		p.reporter.tracker.end(p)
		return true
	})
}

// end ends a pass once. outcome reports whether a condition may change.
func (r *Reporter) end(p *Pass, err error, outcome func(now time.Time) bool) {
	now := r.config.Clock.Now()
	r.mu.Lock()
	if p.ended {
		r.mu.Unlock()
		return
	}
	p.ended = true
	slow := now.Sub(p.began) >= r.config.Dwell
	changed := outcome(now) || slow
	r.mu.Unlock()
	if changed {
		r.notify()
	}
	if r.config.Observer != nil {
		r.config.Observer.Left(r.config.Component, p.step.state, max(now.Sub(p.entered), 0), err)
	}
}

var errPanicked = errors.New("panicked: see the log of the process")

// Track runs work as a pass of a state, and returns only the error of the work. Work that panics has
// failed; the panic is not recovered. Work that ends because ctx was canceled has not failed; work that
// exceeds a deadline has.
func (r *Reporter) Track(ctx context.Context, s State, key string, work func(context.Context) error) error {
	if work == nil {
		return errors.New("components: Track: work is nil: pass the function that does what the state stands for")
	}
	p := r.Begin(s, key)
	returned := false
	defer func() {
		if !returned {
			p.End(errPanicked)
		}
	}()
	err := work(ctx)
	returned = true
	if p != nil && errors.Is(ctx.Err(), context.Canceled) && errors.Is(err, context.Canceled) {
		p.abandon(err)
		return err
	}
	p.End(err)
	return err
}

// Forget drops the error of a state and a key, and its running pass, when their object is gone.
func (r *Reporter) Forget(s State, key string) {
	if r == nil || !r.reports(s) {
		return
	}
	now := r.config.Clock.Now()
	r.mu.Lock()
	changed := r.tracker.forget(step{s, shortKey(key)}, now)
	r.mu.Unlock()
	if changed {
		r.notify()
	}
}

// shortKey returns a key of limited length. Different keys stay different.
func shortKey(key string) string {
	short := oneLine(key, maxKey)
	if short == key {
		return key
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(key))
	return fmt.Sprintf("%s-%08x", oneLine(key, maxKey), hash.Sum32())
}
