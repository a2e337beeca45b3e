package upgrademonitor

import (
	"context"
	"math"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/machine"
)

// lookInterval is the longest time between two looks of a daemon at the Node.
const lookInterval = 10 * time.Second

// retryBackoff has the pauses between retries. The number of retries is not limited. With jitter, a
// pause takes at most 30 seconds.
var retryBackoff = wait.Backoff{
	Steps: math.MaxInt, Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 20 * time.Second,
}

// conflictBackoff has the pauses after conflicts. After the last pause, a conflict ends the
// attempt. All pauses together take less than DefaultTimeout, so that the attempt ends before a
// call times out.
var conflictBackoff = wait.Backoff{Steps: 45, Duration: 5 * time.Millisecond, Factor: 1.1, Jitter: 1}

const (
	writeFailure = "Failed to write the MachineConfigNode"
	specFailure  = "The API server has rejected the spec of the MachineConfigNode"
)

// run is one attempt, in its own goroutine. It makes requests until nothing is left to write, or until
// the attempt fails.
type run struct {
	ctx       context.Context
	cancel    context.CancelFunc
	started   time.Time    // the start of the current request
	conflicts wait.Backoff // the remaining pauses after conflicts
}

// wakeLocked starts the writer if a write is pending and due. attemptNow makes a pending write due now.
// Otherwise wakeLocked sets the timer of the next retry or look. If the ctx of New has ended and no call
// waits, wakeLocked stops the writer.
func (m *Monitor) wakeLocked(attemptNow bool) {
	hasEnded := m.life.Err() != nil
	pause := m.retryAt.Sub(realClock.Now())
	isPending := len(m.core.Entries()) > 0
	switch {
	case hasEnded && m.waiting == 0:
		if m.run != nil {
			m.run.cancel()
		}
	case m.run != nil:
	case isPending && (attemptNow || pause <= 0):
		ctx, cancel := context.WithCancel(context.WithoutCancel(m.life))
		m.run = &run{ctx: ctx, cancel: cancel, started: realClock.Now(), conflicts: conflictBackoff}
		go m.write(m.run)
	case isPending:
		m.timer.Reset(pause)
	case !hasEnded && !m.conditionsOnly:
		m.timer.Reset(lookInterval)
	}
}

// tick is called when the timer fires, and when the ctx of New ends. It starts the writer if a retry is
// due. In a daemon, tick first looks at the Node and the Lister, so that the status follows the Node
// even without a report, and a deleted object is created again.
func (m *Monitor) tick() {
	looks := m.life.Err() == nil && !m.conditionsOnly
	var err error
	if looks {
		_, err = m.look()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if looks && err == nil && m.life.Err() == nil {
		m.core.Follow(m.now())
	}
	m.wakeLocked(false)
}

// write makes the requests of a run, one after the other.
func (m *Monitor) write(r *run) {
	defer r.cancel()
	request, ok := m.next(r, machine.Continue)
	for ok {
		result := m.send(r.ctx, request)
		verdict := m.record(r, request, result)
		if verdict == machine.Pause {
			select {
			case <-time.After(r.conflicts.Step()):
			case <-r.ctx.Done():
			}
		}
		request, ok = m.next(r, verdict)
	}
}

// next returns the next request. It returns false if the run is over.
func (m *Monitor) next(r *run, verdict machine.Verdict) (request machine.Request, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if verdict != machine.GiveUp {
		request, ok = m.core.Next()
		m.settleLocked()
		if !ok {
			m.recoverLocked()
		}
	}
	r.started = realClock.Now()
	if !ok {
		m.run = nil
		m.wakeLocked(r.ctx.Err() != nil) // after a Flush has canceled the run, try again at once
	}
	return request, ok
}

// record passes a result to the core, and records a failure.
func (m *Monitor) record(r *run, request machine.Request, result machine.Result) machine.Verdict {
	m.mu.Lock()
	defer m.mu.Unlock()
	verdict := m.core.Done(request, result)
	m.settleLocked()
	switch {
	case result.Err == nil:
		m.lastSuccess = realClock.Now()
		if request.Verb == machine.PatchStatus {
			r.conflicts = conflictBackoff
			m.recoverLocked()
		}
	case r.ctx.Err() != nil: // a Flush, or the end of the ctx of New, has canceled the run
		return machine.GiveUp
	case verdict == machine.GiveUp, verdict == machine.Pause && r.conflicts.Steps == 0:
		m.failLocked(result.Err)
		return machine.GiveUp
	case request.Verb == machine.PatchSpec && verdict == machine.Continue:
		m.logChange(specFailure, result.Err)
	}
	return verdict
}

// recoverLocked ends the outage.
func (m *Monitor) recoverLocked() {
	m.cause = nil
	m.logChange(writeFailure, nil)
}

// failLocked records and logs a failed attempt, and wakes the calls that wait. If a call started the
// attempt before the next retry was due, the time of that retry does not change.
func (m *Monitor) failLocked(cause error) {
	if m.cause == nil {
		m.retryNowLocked()
	}
	m.cause = cause
	if now := realClock.Now(); !now.Before(m.retryAt) {
		m.retryAt = now.Add(m.backoff.Step())
	}
	close(m.failed)
	m.failed = make(chan struct{})
	m.logChange(writeFailure, cause)
}

// retryNowLocked makes the next retry due now, and resets the backoff.
func (m *Monitor) retryNowLocked() {
	m.backoff = retryBackoff
	m.retryAt = time.Time{}
}

// settleLocked wakes the calls that wait for settled entries. It logs the rejections that no call
// returns.
func (m *Monitor) settleLocked() {
	for _, e := range m.core.TakeSettled() {
		if e.Err != nil && e.Abandoned {
			klog.FromContext(m.life).Error(e.Err, "Dropped an accepted change that cannot be written",
				"node", m.config.NodeName, "change", e.Change.String())
		}
		close(e.Settled)
	}
}

// send makes a request. The end of a call's ctx does not cancel the request, because the request may
// contain the report of another call.
func (m *Monitor) send(ctx context.Context, r machine.Request) machine.Result {
	if err := m.checkRequest(r); err != nil {
		return machine.Result{Outcome: apierr.Denied, Err: err}
	}
	timeout := 2 * m.config.Timeout
	if r.Verb == machine.PatchSpec {
		timeout = m.config.Timeout / 2 // so that a call also has time for the status
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	mcn, err := m.request(ctx, r)
	if err != nil {
		return machine.Result{Outcome: apierr.Classify(err), Err: err}
	}
	return machine.Result{Object: machine.FromTyped(mcn)}
}

func (m *Monitor) request(ctx context.Context, r machine.Request) (*mcfgv1.MachineConfigNode, error) {
	switch r.Verb {
	case machine.Get:
		return m.client.Get(ctx)
	case machine.Create:
		desired := machine.State{}.Sync(r.Node)
		return m.client.Create(ctx, desired.Owners, desired.Spec)
	}
	patch, err := r.Patch()
	if err != nil {
		return nil, err
	}
	if r.Verb == machine.PatchSpec {
		return m.client.PatchSpec(ctx, patch)
	}
	return m.client.PatchStatus(ctx, patch)
}

// logChange logs an error, unless the last error with this message had the same cause. If err is nil, it
// logs that the failure is over.
func (m *Monitor) logChange(message string, err error) {
	cause := apierr.Cause(err)
	last, _ := m.logged.Swap(message, cause)
	switch logger := klog.FromContext(m.life); {
	case last == cause || last == nil && err == nil:
	case err != nil:
		logger.Error(err, message, "node", m.config.NodeName)
	default:
		logger.Info("This works again", "failure", message, "node", m.config.NodeName)
	}
}
