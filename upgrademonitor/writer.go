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

// conflictBackoff paces and limits the attempts after conflicts. Its steps together take less than
// DefaultTimeout, so that endless conflicts count as an outage before the call returns.
var conflictBackoff = wait.Backoff{Steps: 45, Duration: 5 * time.Millisecond, Factor: 1.1, Jitter: 1}

// checkInterval is the age of the last response at which a repeat reads, if there is no Lister.
const checkInterval = 5 * time.Minute

// writer is the state of the goroutine that makes requests. It runs only while requests are needed.
type writer struct {
	running   bool
	late      bool // started by a call or Flush after the life of the Monitor
	called    bool // a call has arrived since the current request started, and waits for the next attempt
	requests  int  // the number of requests so far, including the current request
	conflicts wait.Backoff
	started   time.Time          // of the current request
	cancel    context.CancelFunc // of the current request, or nil
	failed    int                // the value of requests when the writer last gave up
	confirmed time.Time          // when the API server last responded with success

	callers int           // calls that wait
	flushes int           // Flush calls that wait
	changed chan struct{} // closed to wake the calls that wait, when an attempt has failed; a waiting call creates it
}

// attempt is a request that was made. The zero value means that there was no request.
type attempt struct {
	core.Request
	core.Result
	took     time.Duration
	lost     bool // timed out
	canceled bool // by the end of the life of the Monitor, or by its last caller
}

// startLocked starts the writer. A running writer retries once more on failure, because its current
// request predates this call.
func (m *Monitor) startLocked() {
	m.writer.late = m.life.Err() != nil
	m.writer.called = m.writer.running
	if !m.writer.running {
		m.writer.running, m.writer.conflicts = true, conflictBackoff
		go m.write()
	}
	if m.timer == nil {
		m.lookAt = realClock.Now().Add(lookInterval)
		m.timer = time.AfterFunc(lookInterval, m.tick)
	}
}

// write makes requests until no request is left or an attempt fails.
func (m *Monitor) write() {
	for r, ok := m.next(attempt{}); ok; {
		r, ok = m.next(m.send(r))
	}
}

// next records the last attempt, logs its failure, and wakes the callers that wait for it. It
// returns the next request, after a pause if there was a conflict, or false if the writer must end.
func (m *Monitor) next(last attempt) (r core.Request, ok bool) {
	now := realClock.Now()
	m.mu.Lock()
	number := m.writer.requests
	verdict, failure := m.learnLocked(last, now)
	isOver := m.life.Err() != nil && !m.writer.late
	if isOver && (m.writer.called || last.Verb == "") { // release the callers: the next attempt is not made
		m.writer.requests++
		number++
	}
	if !isOver && (verdict != core.GiveUp || m.writer.called) {
		r, ok = m.core.Next(!now.Before(m.spec.after))
	}
	m.writer.running, m.writer.called = ok, false
	if ok {
		m.writer.requests++
		m.writer.started = now
	}
	settled, specPending := m.core.TakeSettled(), m.core.SpecPending()
	isIdle := !m.core.Pending()
	isWritten := last.Verb == core.PatchStatus && last.Outcome == apierr.OK
	recovered := last.Verb != "" && verdict == core.Continue && last.took <= m.config.Timeout && (isWritten || isIdle)
	if recovered {
		m.outage.over(now)
	}
	if !specPending {
		m.spec = specFailure{}
	}
	m.scheduleLocked()
	m.mu.Unlock()

	if failure != "" {
		m.failures.Failed(m.life, failure, last.Err, failure+", retrying")
	}
	if recovered {
		m.failures.Recovered(m.life, statusFailure, "Writing the MachineConfigNode works again")
	}
	if !specPending {
		m.failures.Recovered(m.life, specFailed, "Writing the spec of the MachineConfigNode works again")
	}
	for _, e := range settled {
		if err := e.Dropped(); err != nil {
			klog.FromContext(m.life).Error(err, "Dropped an accepted change that cannot be written", "node", m.config.NodeName, "change", e.Change.String())
		}
		close(e.Settled)
	}
	if gaveUp := verdict == core.GiveUp || isOver; gaveUp || verdict == core.SkipSpec {
		m.release(number, gaveUp)
	}
	if ok && verdict == core.Pause {
		m.pause()
	}
	return r, ok
}

// learnLocked passes the last attempt to the core. It returns the verdict, and the failure that the
// caller logs.
func (m *Monitor) learnLocked(a attempt, now time.Time) (verdict core.Verdict, failure string) {
	if a.Verb == "" {
		return core.Continue, ""
	}
	if a.Outcome == apierr.OK {
		m.writer.confirmed = now
		if a.Verb == core.PatchStatus {
			m.writer.conflicts = conflictBackoff
		}
	}
	verdict = m.core.Done(a.Request, a.Result)
	if verdict == core.Pause && m.writer.conflicts.Steps == 0 {
		verdict = core.GiveUp
	}
	switch {
	case a.canceled:
	case verdict == core.GiveUp:
		failure = statusFailure
		m.outage.fail(a.Err, now)
		if a.lost {
			m.outage.lost++
		}
	case verdict == core.SkipSpec:
		failure = specFailed
		m.spec = specFailure{cause: a.Err, after: now.Add(specRetryDelay)}
		m.outage.pace(now)
	}
	return verdict, failure
}

// release wakes the calls that wait. If the writer gave up after the request with this number,
// calls that arrived before that request return.
func (m *Monitor) release(number int, gaveUp bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if gaveUp {
		m.writer.failed = max(m.writer.failed, number) // a newer writer may have been faster
	}
	if m.writer.changed != nil {
		close(m.writer.changed)
		m.writer.changed = nil
	}
}

// pause waits before a write is computed again. It returns early if the life of the Monitor ends.
func (m *Monitor) pause() {
	end := m.life.Done()
	if m.life.Err() != nil {
		end = nil // the life has ended: this pause belongs to a later call
	}
	select {
	case <-time.After(m.writer.conflicts.Step()): // only the running writer uses conflicts, so it needs no lock
	case <-end:
	}
}

// send makes a request. During the life of the Monitor, the ctx of a caller does not cancel it: the
// request may carry another caller's report.
func (m *Monitor) send(r core.Request) attempt {
	if r.Verb == core.Create {
		if err := m.mayCreate(r.Node); err != nil {
			return attempt{Request: r, Result: core.Result{Outcome: apierr.Denied, Err: err}}
		}
	}
	base := m.life
	m.mu.Lock()
	if m.writer.late {
		base = context.WithoutCancel(base)
	}
	timeout := m.config.Timeout / 2
	if r.Verb != core.PatchSpec {
		timeout = m.outage.requestTimeout(m.config.Timeout)
	}
	ctx, cancel := context.WithTimeout(base, timeout)
	m.writer.cancel = cancel
	m.mu.Unlock()
	defer cancel()
	started := realClock.Now()
	result := m.client.Do(ctx, r)
	return attempt{Request: r, Result: result, took: realClock.Since(started),
		lost:     result.Err != nil && base.Err() == nil && errors.Is(ctx.Err(), context.DeadlineExceeded),
		canceled: result.Err != nil && (base.Err() != nil || errors.Is(ctx.Err(), context.Canceled))}
}

// The keys of failures that are logged once.
const (
	statusFailure     = "Failed to write the MachineConfigNode"
	specFailed        = "Failed to write the spec of the MachineConfigNode"
	poolFailure       = "pool"
	annotationFailure = "annotations"
	imageSetFailure   = "pinned image sets"
	listerFailure     = "Lister"
)
