package upgrademonitor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// conflictBackoff bounds how often a write is computed again because others wrote first.
var conflictBackoff = wait.Backoff{Steps: 60, Duration: 5 * time.Millisecond, Factor: 1.1, Jitter: 1}

// specRetryDelay is how long the spec is left alone after a failure: it must not delay the status.
const specRetryDelay = 10 * time.Second

// submit accepts a change, or rejects it, and has it written by the end of ctx or Config.Timeout.
func (m *Monitor) submit(ctx context.Context, change plan.Change) error {
	e, err := m.accept(ctx, change)
	if e == nil && err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.config.Timeout)
	defer cancel()
	if errors.Is(err, core.ErrFull) {
		_, _ = m.attempt(ctx, m.hasRoom) // the API server may be back
		e, err = m.accept(ctx, change)
	}
	switch {
	case errors.Is(err, core.ErrFull):
		return fmt.Errorf("MachineConfigNode %s: %s: %w", m.config.NodeName, change, ErrQueueFull)
	case err == nil && e != nil:
		err = m.await(ctx, e)
	}
	if err == nil {
		return nil
	}
	if r, ok := change.(plan.Report); ok {
		return m.rejected(r.Phase, err)
	}
	return m.rejected(phases.PinnedImageSetsProgressing, err)
}

func (m *Monitor) accept(ctx context.Context, change plan.Change) (*core.Entry, error) {
	listed := m.listed(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.observe(listed)
	m.age()
	return m.core.Submit(change)
}

// hasRoom is called with m.mu held.
func (m *Monitor) hasRoom() bool { return !m.core.Full() }

// await waits until an entry is done, or ctx ends, and returns the error of a change that turned
// out to be rejected. What is not done by then is for Run.
func (m *Monitor) await(ctx context.Context, e *core.Entry) (err error) {
	defer func() { // a function of Config may panic
		m.mu.Lock()
		done, rejection := m.core.Leave(e)
		m.mu.Unlock()
		err = rejection
		if !done {
			m.wake()
		}
	}()
	_, _ = m.attempt(ctx, e.Done)
	return nil
}

// attempt makes requests until the function, which is called with m.mu held, returns true, nothing
// is left to do, or one fails. It logs why, and when it works again. It reports whether a status was
// written.
func (m *Monitor) attempt(ctx context.Context, until func() bool) (wrote bool, err error) {
	err = m.withTurn(ctx, func() error {
		var err error
		wrote, err = m.drain(ctx, until, false)
		switch {
		case err == nil:
			m.recovered(ctx, &m.failures, "Writing the MachineConfigNode works again")
		case err != nil && !errors.Is(err, context.Canceled):
			m.failed(ctx, &m.failures, err, "Failed to write the MachineConfigNode, retrying")
		}
		return err
	})
	return wrote, err
}

// withTurn runs a function as the one goroutine that makes requests.
func (m *Monitor) withTurn(ctx context.Context, work func() error) error {
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return work()
}

// drain makes one request after the other, and reports whether a status was written. A spec that
// cannot be written stops it only where it was called for the spec.
func (m *Monitor) drain(ctx context.Context, until func() bool, forSpec bool) (wrote bool, err error) {
	backoff := conflictBackoff
	for {
		r, ok := m.next(ctx, until, forSpec)
		if !ok {
			return wrote, nil
		}
		result := m.do(ctx, r, forSpec)
		switch {
		case result.Outcome == core.OK:
			wrote = wrote || r.Kind == core.PatchStatus
		case result.Outcome == core.NotFound && r.Kind == core.Get: // to be created
		case result.Outcome == core.Conflict, result.Outcome == core.NotFound:
			if backoff.Steps == 0 || !sleep(ctx, backoff.Step()) {
				return wrote, result.Err
			}
		case r.Restores && (result.Outcome == core.Denied || result.Outcome == core.Rejected):
			klog.FromContext(ctx).Error(result.Err, "Failed to restore the status of a MachineConfigNode that was created again, starting without it", "node", m.config.NodeName)
		case r.Kind == core.PatchSpec:
			m.failed(ctx, &m.specFailures, result.Err, "Failed to write the spec of the MachineConfigNode, retrying")
			if forSpec {
				return wrote, result.Err
			}
		case result.Outcome == core.Rejected && r.Kind == core.PatchStatus: // dropped
		default:
			return wrote, result.Err
		}
	}
}

// next returns the next request, and logs what was dropped.
func (m *Monitor) next(ctx context.Context, until func() bool, forSpec bool) (r core.Request, ok bool) {
	listed := m.listed(ctx)
	m.mu.Lock()
	m.observe(listed)
	if !until() {
		r, ok = m.core.Next(forSpec || !realClock.Now().Before(m.specAfter))
	}
	dropped, specPending := m.core.TakeDropped(), m.core.SpecPending()
	m.mu.Unlock()
	if !specPending {
		m.recovered(ctx, &m.specFailures, "Writing the spec of the MachineConfigNode works again")
	}
	for _, d := range dropped {
		klog.FromContext(ctx).Error(d.Dropped(), "Dropped an accepted change that cannot be written", "node", m.config.NodeName, "change", d.Change.String())
	}
	return r, ok
}

// do makes a request and hands the result to the core. The spec has half of the time that is
// left, unless the call is for the spec.
func (m *Monitor) do(ctx context.Context, r core.Request, forSpec bool) (result core.Result) {
	result = core.Result{Outcome: core.Lost} // if a function of Config panics
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.done(r, result)
	}()
	if r.Kind == core.Create {
		if r.Node, result.Err = m.viewToCreate(ctx); result.Err != nil {
			result.Outcome = core.Denied
			return result
		}
	}
	if deadline, ok := ctx.Deadline(); ok && r.Kind == core.PatchSpec && !forSpec {
		half, cancel := context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
		ctx = half
	}
	result = m.client.Do(ctx, r)
	if result.NoImages {
		m.failed(ctx, &m.imageFailures, errNoImages, "Ignoring the images of the Node for a while")
	} else if result.Outcome == core.OK && r.SendsImage() {
		m.recovered(ctx, &m.imageFailures, "Writing the images of the Node again")
	}
	return result
}

// done is called with m.mu held.
func (m *Monitor) done(r core.Request, result core.Result) {
	m.core.Done(r, result)
	now := realClock.Now()
	if result.Outcome == core.OK {
		m.answered = now
	}
	if r.Kind == core.PatchSpec && result.Outcome != core.OK && result.Outcome != core.Conflict {
		m.specAfter = now.Add(specRetryDelay)
	}
	if result.NoImages {
		m.imagesAfter = now.Add(m.config.CheckInterval)
	}
}

var errNoImages = errors.New("the CRD of MachineConfigNode has no configImage, as that of a feature set without ImageModeStatusReporting: install the CRD with it, or switch image mode off")

// sleep waits. It returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
