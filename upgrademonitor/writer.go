package upgrademonitor

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
)

// conflictBackoff has the pauses after conflicts, and limits their number. All pauses together take
// less than DefaultTimeout. So if conflicts never end, an outage starts before a call times out.
var conflictBackoff = wait.Backoff{Steps: 45, Duration: 5 * time.Millisecond, Factor: 1.1, Jitter: 1}

// checkInterval is how long the known object is trusted after a response, if there is no Lister.
const checkInterval = 5 * time.Minute

// run is one run of the writer goroutine. It makes requests until nothing is left to write, or an
// attempt fails.
type run struct {
	ctx       context.Context
	cancel    context.CancelFunc // called when life has ended and no call waits
	conflicts wait.Backoff

	// These fields are about the current request.
	request context.Context
	abort   context.CancelFunc // nil before the first request
	started time.Time
	// retried is the last failure of the spec if the request retries the spec, otherwise nil. A new
	// report cancels this request, and the failure stays the same.
	retried error
}

func newRun(life context.Context) *run {
	ctx, cancel := context.WithCancel(context.WithoutCancel(life))
	return &run{ctx: ctx, cancel: cancel, conflicts: conflictBackoff}
}

// exchange is a request and its result. In the zero value, no request was made.
type exchange struct {
	core.Request
	core.Result
	isLost bool // there was no response in time
}

func (m *Monitor) write(r *run) {
	defer r.cancel()
	for request, ok := m.next(r, exchange{}); ok; {
		request, ok = m.next(r, m.send(r, request))
	}
}

// next records the result of a request, and returns the next request, or false if the run is over.
// After a conflict, next pauses first.
func (m *Monitor) next(r *run, last exchange) (request core.Request, ok bool) {
	m.mu.Lock()
	verdict, failed := m.learnLocked(r, last)
	if failed != nil {
		m.failLocked(failed, last.Err, last.isLost)
	}
	if verdict != core.GiveUp && r.ctx.Err() == nil {
		request, ok = m.core.Next(m.trySpecLocked())
	}
	isWritten := last.Verb == core.PatchStatus && last.Outcome == apierr.OK
	if isWritten || verdict != core.GiveUp && !ok && !m.core.Pending() {
		m.status.over()
		m.failures.Recovered(m.life, statusFailure, "Writing the MachineConfigNode works again")
	}
	if !m.core.SpecPending() {
		m.spec.over()
		m.failures.Recovered(m.life, specFailure, "Writing the spec of the MachineConfigNode works again")
	}
	settled := m.core.TakeSettled()
	if ok {
		m.beginLocked(r, request.Verb)
	} else {
		m.run = nil
		m.wakeLocked()
	}
	m.mu.Unlock()

	m.settle(settled)
	if ok && verdict == core.Pause {
		r.pause()
	}
	return request, ok
}

// learnLocked passes a result to the core. failed is what has failed: m.status, m.spec or nil.
func (m *Monitor) learnLocked(r *run, e exchange) (verdict core.Verdict, failed *failure) {
	if e.Verb == "" {
		return core.Continue, nil
	}
	if e.Outcome == apierr.OK {
		m.confirmed = realClock.Now()
		if e.Verb == core.PatchStatus {
			r.conflicts = conflictBackoff
		}
	}
	isCanceled := e.Err != nil && r.ctx.Err() != nil // because no call waits
	switch {
	case isCanceled:
		e.Outcome = apierr.Conflict // so that the next call reads the object and plans again
	case e.Verb != core.Get && r.conflicts.Steps == 0 && (e.Outcome == apierr.Conflict || e.Outcome == apierr.NotFound):
		e.Outcome = apierr.Retry
	}
	verdict = m.core.Done(e.Request, e.Result)
	switch {
	case isCanceled:
		return core.GiveUp, nil
	case verdict == core.GiveUp:
		return verdict, &m.status
	case verdict == core.SkipSpec:
		return verdict, &m.spec
	}
	return verdict, nil
}

// trySpecLocked reports whether the spec may be written now. After a failure, its retry must be due.
// After a lost response, no status may be pending, so that the status does not wait for the spec.
func (m *Monitor) trySpecLocked() bool {
	return !realClock.Now().Before(m.spec.retryAt) && (m.spec.lost == 0 || !m.core.Pending())
}

// beginLocked sets the timeout of a request.
func (m *Monitor) beginLocked(r *run, verb core.Verb) {
	timeout := m.status.timeout(2 * m.config.Timeout)
	r.retried = nil
	if verb == core.PatchSpec {
		timeout = m.spec.timeout(m.config.Timeout / 2)
		r.retried = m.spec.cause
	}
	r.request, r.abort = context.WithTimeout(r.ctx, timeout)
	r.started = realClock.Now()
}

// settle logs the rejections that no call returns, and wakes the calls that wait for the entries.
func (m *Monitor) settle(entries []*core.Entry) {
	for _, e := range entries {
		if err := e.Dropped(); err != nil {
			klog.FromContext(m.life).Error(err, "Dropped an accepted change that cannot be written", "node", m.config.NodeName, "change", e.Change.String())
		}
		close(e.Settled)
	}
}

// pause waits after a conflict. It returns early if the run is canceled.
func (r *run) pause() {
	select {
	case <-time.After(r.conflicts.Step()):
	case <-r.ctx.Done():
	}
}

// send makes a request. The ctx of a call does not cancel the request, because the request may
// contain the report of another call.
func (m *Monitor) send(r *run, request core.Request) exchange {
	defer r.abort()
	if err := m.refusal(request); err != nil {
		return exchange{Request: request, Result: core.Result{Outcome: apierr.Denied, Err: err}}
	}
	result := do(r.request, m.client, request)
	if result.Err != nil && r.retried != nil && errors.Is(r.request.Err(), context.Canceled) {
		result.Err = r.retried
	}
	return exchange{Request: request, Result: result, isLost: result.Err != nil && errors.Is(r.request.Err(), context.DeadlineExceeded)}
}
