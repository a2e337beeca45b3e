package components

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
)

// Pass is one run of a step, from Begin to End.
type Pass struct {
	reporter *Reporter
	pass     // guarded by the Reporter's mu
	ended    atomic.Bool
}

// Begin reports that the process enters a state. key distinguishes passes that may run at the same time:
// the name of the pool, or "" if there is only one. Each Begin needs its End.
//
// A state that this process does not have is logged once, and its pass is ignored. A nil Reporter is
// valid in Begin, Track, Forget and SetPeerConditions: a process without the feature keeps its calls.
// Begin does not block.
func (r *Reporter) Begin(s State, key string) *Pass {
	if r == nil || !r.has(s) {
		return nil
	}
	p := &Pass{reporter: r, pass: pass{newStep(s, key), r.config.Clock.Now()}}
	r.mu.Lock()
	r.running.begin(&p.pass)
	r.mu.Unlock()
	if r.config.Observer != nil {
		r.config.Observer.StepStarted(r.config.Component, s)
	}
	return p
}

// End reports that the pass is over, and its error: nil resolves the error of an earlier pass of the
// same state and key. A second End does nothing. End does not block.
func (p *Pass) End(err error) { p.end(err, false) }

// textOf returns the text of an error, shortened: it is cleaned only when it is published.
func textOf(err error) (text string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = fmt.Sprint(err) // with the panic of Error
		}
	}()
	return shorten(err.Error())
}

// end ends the pass once. One that was canceled has no result.
func (p *Pass) end(err error, canceled bool) {
	if p == nil || p.ended.Swap(true) {
		return
	}
	r, text, now := p.reporter, textOf(err), p.reporter.config.Clock.Now()
	r.mu.Lock()
	took := now.Sub(p.began)
	r.running.end(&p.pass)
	changed := !canceled
	switch {
	case canceled:
	case err == nil:
		changed = r.faults.passed(p.step)
	default:
		r.faults.failed(&p.pass, text, now)
	}
	r.mu.Unlock()
	if changed {
		r.notify()
	}
	if r.config.Observer != nil {
		r.config.Observer.StepEnded(r.config.Component, p.step.state, took, err)
	}
}

var errPanicked = errors.New("panicked: see the log of the process")

// Track runs work as a pass of a state, and returns the error of the work. Work that panics has failed;
// the panic is not recovered. Work that ends because ctx was canceled has neither failed nor succeeded.
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
	p.end(err, errors.Is(ctx.Err(), context.Canceled) && errors.Is(err, context.Canceled))
	return err
}

// Forget drops the error of a state and a key, and its running pass, when their object is gone.
func (r *Reporter) Forget(s State, key string) {
	if r == nil {
		return
	}
	step := newStep(s, key)
	r.mu.Lock()
	delete(r.running.passes, step)
	r.faults.forget(step)
	r.mu.Unlock()
	r.notify()
}

// has reports whether this process can be in a state; if not, it is logged once.
func (r *Reporter) has(s State) bool {
	if slices.Contains(statesByComponent[r.config.Component], s) || s == BootstrapProgression && r.config.Component == Operator {
		return true
	}
	state := oneLine(string(s), maxNodeMessage)
	r.failures.Local(context.Background(), state, fmt.Errorf("%s has no state %q", r.config.Component, state),
		"Ignoring a pass: begin it with one of States", "")
	return false
}
