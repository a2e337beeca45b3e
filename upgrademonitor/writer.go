package upgrademonitor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// lookInterval is the time between two looks of a daemon at the Node while nothing is pending. The daemon's
// informer may be behind when it reports Updated=True, so a later look writes the versions.
const lookInterval = 10 * time.Second

// retryBackoff has the pauses between retries. The number of retries is not limited. With jitter, a
// pause takes at most 30 seconds.
var retryBackoff = wait.Backoff{
	Steps: math.MaxInt, Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 20 * time.Second,
}

// conflictBackoff has the pauses after conflicts. After the last pause, a conflict ends the
// attempt. All pauses together take less than the default Timeout, so that the attempt usually ends before
// a call times out.
var conflictBackoff = wait.Backoff{Steps: 45, Duration: 5 * time.Millisecond, Factor: 1.1, Jitter: 1}

// attempt is a series of requests, made in a goroutine of its own. It ends when nothing is left to write, or
// when it fails.
type attempt struct {
	ctx       context.Context
	cancel    context.CancelFunc
	started   time.Time    // the start of the current request, or the end of the last one
	conflicts wait.Backoff // the remaining pauses after conflicts
}

// wakeLocked starts the writer if a write is pending and due. attemptNow makes a pending write due now.
// Otherwise wakeLocked sets the timer of the next retry or look. If the ctx of New has ended and no call
// waits, there is no next request.
//
// Why a goroutine for each attempt, and not one for each Monitor: a controller has a Monitor for each of thousands of
// nodes, and most of them are idle.
func (m *Monitor) wakeLocked(attemptNow bool) {
	hasEnded := m.life.Err() != nil
	pause := m.retryAt.Sub(realClock.Now())
	pending := len(m.core.Entries())
	switch {
	case hasEnded && m.waiting == 0:
		if pending > 0 {
			m.logLocked(pendingMessage, pendingMessage, fmt.Errorf("%w: %d", ErrPending, pending))
		}
	case m.attempt != nil:
	case pending > 0 && (attemptNow || pause <= 0):
		ctx, cancel := context.WithCancel(context.WithoutCancel(m.life))
		m.attempt = &attempt{ctx: ctx, cancel: cancel, started: realClock.Now(), conflicts: conflictBackoff}
		go m.write(m.attempt)
	case pending > 0:
		m.timer.Reset(pause)
	case !hasEnded && !m.isController():
		m.timer.Reset(lookInterval)
	}
}

// tick is called when the timer fires. It looks at the Node and the Lister. In a daemon, the status follows
// the Node even without a report, and a deleted object is created again. Then tick starts the writer if a
// retry is due.
func (m *Monitor) tick() {
	hasLooked := m.life.Err() == nil && m.look() == nil
	m.mu.Lock()
	defer m.unlock()
	if hasLooked && m.life.Err() == nil {
		m.core.Follow(m.view.node, m.now())
	}
	m.wakeLocked(false)
}

// end is called when the ctx of New ends. It cancels a request for which no call waits. Later, a call that
// leaves cancels no request, because the API server may be slow.
func (m *Monitor) end() {
	m.mu.Lock()
	defer m.unlock()
	if m.waiting == 0 && m.attempt != nil {
		m.attempt.cancel()
	}
	m.wakeLocked(false)
}

// write makes the requests of an attempt, one after the other.
func (m *Monitor) write(a *attempt) {
	defer a.cancel()
	request, ok := m.next(a, planner.Continue)
	for ok {
		result := m.send(a.ctx, request)
		verdict := m.record(a, request, result)
		if verdict == planner.Pause {
			select {
			case <-time.After(a.conflicts.Step()):
			case <-a.ctx.Done():
			}
		}
		request, ok = m.next(a, verdict)
	}
}

// next returns the next request. It returns false if the attempt is over.
func (m *Monitor) next(a *attempt, verdict planner.Verdict) (request planner.Request, ok bool) {
	m.mu.Lock()
	defer m.unlock()
	isNeeded := m.life.Err() == nil || m.waiting > 0
	if verdict != planner.GiveUp && isNeeded {
		request, ok = m.core.Next(m.view.node)
		m.settleLocked()
		if !ok {
			m.recoverLocked()
		}
	}
	a.started = realClock.Now()
	if !ok {
		m.attempt = nil
		m.wakeLocked(a.ctx.Err() != nil) // after a Flush has canceled the attempt, try again at once
	}
	return request, ok
}

// record passes a result to the core, and says how the attempt continues.
func (m *Monitor) record(a *attempt, request planner.Request, result planner.Result) planner.Verdict {
	m.mu.Lock()
	defer m.unlock()
	a.started = realClock.Now() // the request is over, so it is not overdue
	verdict := m.core.Done(request, result)
	m.settleLocked()
	switch {
	case verdict == planner.Continue:
		m.recordWriteLocked(a, request, result)
		return planner.Continue
	case a.ctx.Err() != nil: // a Flush, or the end of the ctx of New, has canceled the attempt: this is no failure
		return planner.GiveUp
	case verdict == planner.Pause && a.conflicts.Steps > 0:
		return planner.Pause
	}
	m.canceled = false
	m.failLocked(string(result.Outcome)+apierr.Cause(result.Err), result.Err)
	return planner.GiveUp
}

// recordWriteLocked records a request after which the attempt continues. A write was successful, or the API
// server has rejected it for good.
func (m *Monitor) recordWriteLocked(a *attempt, request planner.Request, result planner.Result) {
	switch request.Verb {
	case planner.PatchStatus:
		a.conflicts = conflictBackoff
		m.recoverLocked()
	case planner.PatchSpec:
		m.logLocked(specFailure, apierr.Cause(result.Err), result.Err)
	}
}

// recoverLocked ends the outage. The time of its next retry must not delay a later report.
func (m *Monitor) recoverLocked() {
	m.outage = nil
	m.retryNowLocked()
	m.canceled = false
	m.logLocked(writeFailure, "", nil)
}

// failLocked records and logs a failed attempt, and wakes the calls that wait. If a call started the
// attempt before the next retry was due, the time of that retry does not change.
func (m *Monitor) failLocked(kind string, cause error) {
	m.outage = cause
	if now := realClock.Now(); !now.Before(m.retryAt) {
		m.retryAt = now.Add(m.backoff.Step())
	}
	m.logLocked(writeFailure, kind, cause)
	close(m.failed)
	m.failed = make(chan struct{})
}

// isOverdueLocked reports whether a request has had no response within Config.Timeout.
func (m *Monitor) isOverdueLocked() bool {
	return m.attempt != nil && realClock.Since(m.attempt.started) >= m.config.Timeout
}

// failOverdueLocked starts an outage if a request is overdue. The request continues, because the API
// server may be slow.
func (m *Monitor) failOverdueLocked() {
	if m.isOverdueLocked() {
		m.failLocked(string(apierr.Retry)+apierr.Cause(errNoResponse), errNoResponse)
	}
}

// retryNowLocked makes the next retry due now, and resets the backoff.
func (m *Monitor) retryNowLocked() {
	m.backoff = retryBackoff
	m.retryAt = time.Time{}
}

// settleLocked wakes the calls that wait for settled entries, and logs the rejections that no call returns. It logs
// ErrNoUpdate once, as logRejection does.
func (m *Monitor) settleLocked() {
	for _, e := range m.core.TakeSettled() {
		if e.Err != nil && e.Abandoned && m.isNews(e.Err) {
			m.lines = append(m.lines, func() { m.logger().Error(e.Err, droppedMessage, "change", e.Change.String()) })
		}
		close(e.Settled)
	}
}

// send makes a request. The end of a call's ctx does not cancel the request, because the request may
// contain the report of another call.
func (m *Monitor) send(ctx context.Context, r planner.Request) planner.Result {
	if err := m.checkRequest(r); err != nil {
		return planner.Result{Outcome: apierr.Denied, Err: err}
	}
	overdue := time.AfterFunc(m.config.Timeout, func() {
		m.mu.Lock()
		defer m.unlock()
		m.failOverdueLocked()
	})
	defer overdue.Stop()
	ctx, cancel := context.WithTimeout(ctx, 2*m.config.Timeout)
	defer cancel()
	mcn, err := m.request(ctx, r)
	if apierrors.IsForbidden(err) && r.Verb == planner.PatchSpec {
		err = fmt.Errorf("%w: reports wait until this process may patch machineconfignodes, not only machineconfignodes/status", err)
	}
	if err != nil {
		return planner.Result{Outcome: apierr.Classify(err), Err: err}
	}
	object := planner.FromTyped(mcn)
	if !r.IsKeptIn(object) { // otherwise the same write would follow without a pause
		return planner.Result{Outcome: apierr.Retry, Err: errNotKept}
	}
	return planner.Result{Object: object}
}

var errNotKept = errors.New("the API server has accepted the write, but its response does not show it: check for a webhook that changes MachineConfigNodes")

func (m *Monitor) request(ctx context.Context, r planner.Request) (*mcfgv1.MachineConfigNode, error) {
	switch r.Verb {
	case planner.Get:
		return m.client.Get(ctx)
	case planner.Create:
		desired := planner.State{}.WithSpecOf(r.Node)
		return m.client.Create(ctx, desired.Owners, desired.Spec)
	}
	patch, err := r.Patch()
	if err != nil {
		return nil, err
	}
	if r.Verb == planner.PatchSpec {
		return m.client.PatchSpec(ctx, patch)
	}
	if err := r.ReplacedTime(); err != nil && m.logged.Changed(replacedTime, err.Error()) {
		m.logger().Info(replacedTime, "cause", err)
	}
	return m.client.PatchStatus(ctx, patch)
}

// checkRequest returns an error if this process must not make a request: a controller creates no object,
// and a daemon creates no object for a Node that does not exist or is not provisioned yet.
func (m *Monitor) checkRequest(r planner.Request) error {
	switch {
	case r.Verb != planner.Create:
		return nil
	case m.isController():
		return fmt.Errorf("node %s: the daemon has not created the MachineConfigNode yet", m.config.NodeName)
	}
	node, err := m.node()
	if err == nil && !nodemeta.IsProvisioned(node) {
		err = fmt.Errorf("node %s: the MachineConfigNode is not created before the Node is provisioned", node.Name)
	}
	return err
}
