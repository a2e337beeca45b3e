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

// conflictBackoff has the pauses after conflicts. After the last pause, a conflict ends the
// attempt. All pauses together take less than DefaultTimeout, so that the attempt ends before a
// call times out.
var conflictBackoff = wait.Backoff{Steps: 45, Duration: 5 * time.Millisecond, Factor: 1.1, Jitter: 1}

// checkInterval limits the age of the last response. If the response is older, and no Lister shows
// the same version of the object, a call that would change nothing reads the object.
const checkInterval = 5 * time.Minute

// run is one attempt, in its own goroutine. It makes requests until nothing is left to write, or until
// the attempt fails.
type run struct {
	ctx       context.Context
	cancel    context.CancelFunc // called when the ctx of New has ended and no call waits
	conflicts wait.Backoff       // the remaining pauses after conflicts

	// These fields are about the current request.
	requestCtx    context.Context
	cancelRequest context.CancelFunc // nil before the first request
	started       time.Time
	// specError is set if the request retries a failed write of the spec. It is the error of that
	// write. If the retry is canceled, it gets the same error.
	specError error
}

func newRun(life context.Context) *run {
	ctx, cancel := context.WithCancel(context.WithoutCancel(life))
	return &run{ctx: ctx, cancel: cancel, conflicts: conflictBackoff}
}

// exchange is a request and its result. In the zero exchange, no request was made.
type exchange struct {
	core.Request
	core.Result
	isCanceled bool // a Flush has canceled the request, or the ctx of New has ended and no call waits
}

// write makes the requests of a run, one after the other.
func (m *Monitor) write(r *run) {
	defer r.cancel()
	for request, ok := m.next(r, exchange{}); ok; {
		request, ok = m.next(r, m.send(r, request))
	}
}

// next records the result of the last request, and returns the next request. It returns false if the
// run is over. After a conflict, next pauses before it returns.
func (m *Monitor) next(r *run, last exchange) (request core.Request, ok bool) {
	m.mu.Lock()
	verdict := m.recordResultLocked(r, last)
	if verdict != core.GiveUp {
		request, ok = m.core.Next(m.trySpecLocked())
	}
	isWritten := last.Verb == core.PatchStatus && last.Outcome == apierr.OK
	isDone := verdict != core.GiveUp && !ok
	if isWritten || isDone {
		m.status = failure{}
		m.failures.Recovered(m.life, statusFailure, "Writing the MachineConfigNode works again")
	}
	if !m.core.SpecPending() {
		m.spec = failure{}
		m.failures.Recovered(m.life, specFailure, "Writing the spec of the MachineConfigNode works again")
	}
	settled := m.core.TakeSettled()
	if ok {
		m.beginLocked(r, request.Verb)
	} else {
		m.run = nil
		m.wakeLocked(last.isCanceled) // after a Flush has canceled the request, try again at once
	}
	m.mu.Unlock()

	m.notifyCallers(settled)
	if ok && verdict == core.Pause {
		r.pause()
	}
	return request, ok
}

// recordResultLocked passes a result to the core, and records a failure.
func (m *Monitor) recordResultLocked(r *run, e exchange) core.Verdict {
	if e.Verb == "" {
		return core.Continue
	}
	if e.Outcome == apierr.OK {
		m.lastSuccess = realClock.Now()
		if e.Verb == core.PatchStatus {
			r.conflicts = conflictBackoff
		}
	}
	isConflict := e.Verb != core.Get && (e.Outcome == apierr.Conflict || e.Outcome == apierr.NotFound)
	switch {
	case e.isCanceled && e.Verb == core.PatchSpec:
		e.Outcome = apierr.Conflict // so that a call that waits for the spec keeps waiting
	case isConflict && r.conflicts.Steps == 0:
		e.Outcome = apierr.Retry // the conflicts do not end, so the attempt fails
	}
	verdict := m.core.Done(e.Request, e.Result)
	switch {
	case e.isCanceled:
		return core.GiveUp
	case verdict == core.GiveUp:
		m.failLocked(&m.status, e.Err)
	case verdict == core.SkipSpec:
		m.failLocked(&m.spec, e.Err)
	}
	return verdict
}

// trySpecLocked reports whether the spec may be written now. After a failure, the spec is written when
// its retry is due. After a lost response, it is written only if no status is pending, so that no status
// waits for a request that may get no response.
func (m *Monitor) trySpecLocked() bool {
	return !realClock.Now().Before(m.spec.retryAt) && (m.spec.lost == 0 || !m.core.Pending())
}

// beginLocked prepares a request: it sets the timeout of the request, and records its start.
func (m *Monitor) beginLocked(r *run, verb core.Verb) {
	timeout := m.status.timeout(2 * m.config.Timeout)
	r.specError = nil
	if verb == core.PatchSpec {
		timeout = m.spec.timeout(m.config.Timeout / 2)
		r.specError = m.spec.cause
	}
	r.requestCtx, r.cancelRequest = context.WithTimeout(r.ctx, timeout)
	r.started = realClock.Now()
}

// notifyCallers wakes the calls that wait for settled entries. It logs the rejections that no call
// returns.
func (m *Monitor) notifyCallers(entries []*core.Entry) {
	for _, e := range entries {
		if err := e.Dropped(); err != nil {
			klog.FromContext(m.life).Error(err, "Dropped an accepted change that cannot be written",
				"node", m.config.NodeName, "change", e.Change.String())
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

// send makes a request. The end of a call's ctx does not cancel the request, because the request may
// contain the report of another call.
func (m *Monitor) send(r *run, request core.Request) exchange {
	defer r.cancelRequest()
	if err := m.checkRequest(request); err != nil {
		return exchange{Request: request, Result: core.Result{Outcome: apierr.Denied, Err: err}}
	}
	e := exchange{Request: request, Result: do(r.requestCtx, m.client, request)}
	wasCanceled := e.Err != nil && errors.Is(r.requestCtx.Err(), context.Canceled)
	switch {
	case wasCanceled && r.specError != nil:
		e.Err = r.specError
	case wasCanceled:
		e.isCanceled = true
	}
	return e
}
