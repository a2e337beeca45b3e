package upgrademonitor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// conflictBackoff bounds how often a write is computed again because others wrote first: in less than
// DefaultTimeout, so that conflicts without end are an outage to the call that meets them.
var conflictBackoff = wait.Backoff{Steps: 45, Duration: 5 * time.Millisecond, Factor: 1.1, Jitter: 1}

const (
	// maxRequest bounds a request of an API server that is slow. A write of the spec has half of
	// Config.Timeout.
	maxRequest = time.Minute
	// specRetryDelay is how long the spec is left alone after a failure.
	specRetryDelay = 10 * time.Second
	// checkInterval is after how long a report that repeats what was written last is checked by a
	// read, if no Lister shows the object. It is also how long images are left out.
	checkInterval = 5 * time.Minute
)

// attempt is a request that was made. The zero value is none.
type attempt struct {
	core.Request
	core.Result
	effect effect
	took   time.Duration
}

// effect is what an attempt means for the writer.
type effect int

const (
	done effect = iota // what was to be read, created or written is
	wroteSpec
	wroteStatus
	conflicts // others wrote, created or deleted first
	failsSpec // the status goes on
	isDropped // a status that can never be written: the core goes on without it
	fails     // the writer gives up for now
)

// isAnswered reports whether the API server has answered a read or a write of the spec within a time.
func (a attempt) isAnswered(within time.Duration) bool {
	return a.Kind != "" && (a.effect == done || a.effect == wroteSpec) && a.took <= within
}

func effectOf(r core.Request, result core.Result) effect {
	isStatus, isOK := r.Kind == core.PatchStatus, result.Outcome == apierr.OK
	switch {
	case isOK && isStatus:
		return wroteStatus
	case isOK && r.Kind == core.PatchSpec:
		return wroteSpec
	case isOK, result.Outcome == apierr.NotFound && r.Kind == core.Get: // to be created
		return done
	case result.Outcome == apierr.Conflict, result.Outcome == apierr.NotFound:
		return conflicts
	case r.Kind == core.PatchSpec:
		return failsSpec
	case isStatus && (result.Outcome == apierr.Terminal || r.Restores && result.Outcome == apierr.Denied):
		return isDropped
	default:
		return fails
	}
}

// start starts the writer. One that is there makes another attempt if its request fails, as that began
// before. It is called with m.mu held.
func (m *Monitor) start(ctx context.Context) {
	if m.joined = m.writing; !m.writing {
		m.writing = true
		go m.write(context.WithoutCancel(ctx))
	}
}

// write is the writer, the one goroutine that makes requests. It ends when there is nothing to
// write, or a request has failed.
func (m *Monitor) write(ctx context.Context) {
	backoff := conflictBackoff
	var last attempt
	for {
		r, step, ok := m.next(ctx, last)
		if !ok {
			return
		}
		if last.effect == conflicts {
			<-time.After(backoff.Step())
		}
		if last = m.make(ctx, r, step); last.effect == conflicts && backoff.Steps == 0 {
			last.effect = fails
		}
		m.log(ctx, last)
	}
}

// next takes the last attempt, and returns what is to be done next. Both in one critical section:
// nobody who waits sees the one without the other.
func (m *Monitor) next(ctx context.Context, last attempt) (r core.Request, step int, ok bool) {
	listed := m.listed(ctx)
	now := realClock.Now()
	m.mu.Lock()
	m.step++
	if last.Kind != "" {
		m.core.Done(last.Request, last.Result)
		m.learn(last, now)
	}
	m.observe(listed)
	if last.effect != fails || m.joined {
		r, ok = m.core.Next(!now.Before(m.specAfter))
	}
	m.writing, m.joined, step = ok, false, m.step
	finished := m.core.TakeFinished()
	pending, specPending := m.core.Pending(), m.core.SpecPending()
	isOver := !ok && !pending && !specPending && last.isAnswered(m.config.Timeout)
	if isOver {
		m.recovered()
	}
	if !ok {
		m.watchPending(ctx)
	}
	m.mu.Unlock()

	if isOver {
		m.failures.Recovered(ctx, statusFailure, statusRecovered)
	}
	if !specPending {
		m.failures.Recovered(ctx, specFailure, "Writing the spec of the MachineConfigNode works again")
	}
	for _, e := range finished {
		if err := e.Dropped(); err != nil {
			klog.FromContext(ctx).Error(err, "Dropped an accepted change that cannot be written", "node", m.config.NodeName, "change", e.Change.String())
		}
		close(e.Finished)
	}
	if !ok || last.effect == fails || last.effect == failsSpec {
		m.tellWaiters()
	}
	if !ok && (pending || specPending) {
		m.wake()
	}
	return r, step, ok
}

// learn takes what an attempt says of the API server. It is called with m.mu held.
func (m *Monitor) learn(a attempt, now time.Time) {
	switch a.effect {
	case fails:
		m.failing, m.cause = true, a.Err
		m.retryAt = now.Add(m.backoff.Step())
		if a.took > m.config.Timeout {
			m.lost = min(m.lost+1, 6)
		}
	case failsSpec:
		m.specCause, m.specAfter = a.Err, now.Add(specRetryDelay)
		m.retryAt = now.Add(m.backoff.Step())
	case wroteSpec:
		m.specCause = nil
	case wroteStatus:
		m.backoff, m.retryAt = retryBackoff, time.Time{}
		if a.took <= m.config.Timeout {
			m.recovered()
		}
	}
	if a.Outcome == apierr.OK {
		m.answered = now
	}
	if a.NoImages {
		m.imagesAfter = now.Add(checkInterval)
	}
}

// recovered records that nothing fails any more. It is called with m.mu held.
func (m *Monitor) recovered() {
	m.failing, m.cause, m.lost = false, nil, 0
	m.backoff, m.retryAt = retryBackoff, time.Time{}
}

// log logs what has failed, and what works again.
func (m *Monitor) log(ctx context.Context, a attempt) {
	switch {
	case a.effect == fails:
		m.failures.Failed(ctx, statusFailure, a.Err, "Failed to write the MachineConfigNode, retrying")
	case a.effect == failsSpec:
		m.failures.Failed(ctx, specFailure, a.Err, "Failed to write the spec of the MachineConfigNode, retrying")
	case a.effect == isDropped && a.Restores:
		klog.FromContext(ctx).Error(a.Err, "Failed to restore the status of a MachineConfigNode that was created again, starting without it", "node", m.config.NodeName)
	case a.effect == wroteStatus && a.took <= m.config.Timeout:
		m.failures.Recovered(ctx, statusFailure, statusRecovered)
	}
	if a.NoImages {
		m.failures.Failed(ctx, imageFailure, errNoImages, "Ignoring the images of the Node for a while")
	} else if a.Outcome == apierr.OK && a.SendsImage() {
		m.failures.Recovered(ctx, imageFailure, "Writing the images of the Node again")
	}
}

const statusRecovered = "Writing the MachineConfigNode works again"

var errNoImages = errors.New("the CRD of MachineConfigNode has no configImage, as that of a feature set without ImageModeStatusReporting: install the CRD with it, or switch image mode off")

// make makes a request, in a time of its own.
func (m *Monitor) make(ctx context.Context, r core.Request, step int) attempt {
	timeout := m.config.Timeout / 2
	if r.Kind != core.PatchSpec {
		timeout = m.patience()
		hanging := time.AfterFunc(m.config.Timeout, func() { m.hangs(ctx, step) })
		defer hanging.Stop()
	}
	if r.Kind == core.Create {
		if err := m.mayCreate(r.Node); err != nil {
			return attempt{Request: r, Result: core.Result{Outcome: apierr.Denied, Err: err}, effect: fails}
		}
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	began := realClock.Now()
	result := m.client.Do(bounded, r)
	return attempt{Request: r, Result: result, effect: effectOf(r, result), took: realClock.Since(began)}
}

// patience is how long a request may take: two Timeouts, as its answer may be lost, and twice as long
// after each that was not enough, so that an API server that is slower is written to in the end.
func (m *Monitor) patience() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(m.config.Timeout, min(2*m.config.Timeout<<m.lost, maxRequest))
}

// hangs is called when a request has had no answer for Config.Timeout.
func (m *Monitor) hangs(ctx context.Context, step int) {
	m.mu.Lock()
	hanging := m.step == step
	if hanging {
		m.failing, m.cause = true, fmt.Errorf("MachineConfigNode %s: no answer of the API server for %v: %w", m.config.NodeName, m.config.Timeout, context.DeadlineExceeded)
	}
	cause := m.cause
	m.mu.Unlock()
	if hanging {
		m.failures.Failed(ctx, statusFailure, cause, "Failed to write the MachineConfigNode, retrying")
		m.tellWaiters()
	}
}

// mayCreate returns why no object may be created for a Node: it does not exist, or is not past
// provisioning.
func (m *Monitor) mayCreate(n plan.Node) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.viewErr == nil && !n.Provisioned {
		return &NodeError{NodeName: m.config.NodeName, Problem: "it has no MachineConfigNode before it is provisioned"}
	}
	return m.viewErr
}
