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

// writer is the state of the goroutine that runs while there are requests to make.
type writer struct {
	running   bool
	late      bool // a call or Flush needs the writer, although Monitor.life has ended
	called    bool // a call was made after the current request started; that call waits for the next attempt
	requests  int  // the number of requests so far, including the current request
	conflicts wait.Backoff
	started   time.Time          // when the current request started
	cancel    context.CancelFunc // cancels the current request; nil before the first request
	failed    int                // the value of requests when the writer last gave up
	confirmed time.Time          // when the API server last responded with success

	callers int           // the number of waiting calls
	flushes int           // the number of waiting calls of Flush
	changed chan struct{} // closed to wake the waiting calls when an attempt has failed; created by a waiting call
}

// exchange is a request and its result. In the zero value, no request was made.
type exchange struct {
	core.Request
	core.Result
	took     time.Duration
	lost     bool // the request timed out
	canceled bool // the request was canceled, because life has ended or leaveLocked was called
}

// startLocked starts the writer. If the writer is already running and its current request fails, it
// makes one more attempt, because the failed request started before the call.
func (m *Monitor) startLocked() {
	m.writer.late, m.writer.called = m.life.Err() != nil, m.writer.running
	if !m.writer.running {
		m.writer.running, m.writer.conflicts = true, conflictBackoff
		go m.write()
	}
	if m.timer == nil {
		m.lookAt = realClock.Now().Add(lookInterval)
		m.timer = time.AfterFunc(lookInterval, m.tick)
	}
}

func (m *Monitor) write() {
	for r, ok := m.next(exchange{}); ok; {
		r, ok = m.next(m.send(r))
	}
}

// next records the last request, logs its failure, and wakes the calls that wait for its result. It
// returns the next request, or false if the writer must stop. After a conflict, next pauses first.
func (m *Monitor) next(last exchange) (r core.Request, ok bool) {
	now := realClock.Now()
	m.mu.Lock()
	number := m.writer.requests
	verdict, failure := m.learnLocked(last, now)
	isOver := m.life.Err() != nil && !m.writer.late
	if isOver && (m.writer.called || last.Verb == "") { // the next attempt counts as failed, so that calls do not wait for it
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
	isWritten := last.Verb == core.PatchStatus && last.Outcome == apierr.OK
	recovered := last.Verb != "" && verdict == core.Continue && last.took <= m.config.Timeout && (isWritten || !m.core.Pending())
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

// learnLocked passes a result to the core. It returns the verdict, and a failure to be logged, or "".
func (m *Monitor) learnLocked(e exchange, now time.Time) (verdict core.Verdict, failure string) {
	if e.Verb == "" {
		return core.Continue, ""
	}
	if e.Outcome == apierr.OK {
		m.writer.confirmed = now
		if e.Verb == core.PatchStatus {
			m.writer.conflicts = conflictBackoff
		}
	}
	verdict = m.core.Done(e.Request, e.Result)
	if verdict == core.Pause && m.writer.conflicts.Steps == 0 {
		verdict = core.GiveUp
	}
	switch {
	case e.canceled:
	case verdict == core.GiveUp:
		failure = statusFailure
		m.outage.fail(e.Err, now)
		if e.lost {
			m.outage.lost++
		}
	case verdict == core.SkipSpec:
		failure = specFailed
		m.spec = specFailure{cause: e.Err, after: now.Add(specRetryDelay)}
		m.outage.pace(now)
	}
	return verdict, failure
}

// release wakes the waiting calls. If the writer gave up after the request with this number, it
// ends the wait of all calls that were made before the request started.
func (m *Monitor) release(number int, gaveUp bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if gaveUp {
		m.writer.failed = max(m.writer.failed, number) // a newer writer may have called release first
	}
	if m.writer.changed != nil {
		close(m.writer.changed)
		m.writer.changed = nil
	}
}

// pause waits after a conflict. It returns early if life ends.
func (m *Monitor) pause() {
	end := m.life.Done()
	if m.life.Err() != nil {
		end = nil // life has ended already: the pause is for a later call or Flush
	}
	select {
	case <-time.After(m.writer.conflicts.Step()): // needs no lock, because only the running writer uses conflicts
	case <-end:
	}
}

// send makes a request. Until life ends, the ctx of a caller does not cancel the request, because
// the request may contain the report of another caller.
func (m *Monitor) send(r core.Request) exchange {
	if r.Verb == core.Create {
		if err := m.mayCreate(r.Node); err != nil {
			return exchange{Request: r, Result: core.Result{Outcome: apierr.Denied, Err: err}}
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
	result := do(ctx, m.client, r)
	return exchange{Request: r, Result: result, took: realClock.Since(started),
		lost:     result.Err != nil && base.Err() == nil && errors.Is(ctx.Err(), context.DeadlineExceeded),
		canceled: result.Err != nil && (base.Err() != nil || errors.Is(ctx.Err(), context.Canceled))}
}

// The keys of the failures in failureLog.
const (
	statusFailure = "Failed to write the MachineConfigNode"
	specFailed    = "Failed to write the spec of the MachineConfigNode"
)
