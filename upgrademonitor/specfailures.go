package upgrademonitor

import (
	"context"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/pending"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// What concerns the spec never blocks the status: a policy, a webhook or an owner may be in the way
// of the one and not of the other. See also drain.

// writeInTime writes an entry. One of the spec has half of the time only where others may be behind
// it, so that a webhook of the spec that hangs leaves the rest to the status.
func (m *Monitor) writeInTime(ctx context.Context, e, until *pending.Entry) error {
	if e == until || !e.IsSpec() {
		return m.write(ctx, e)
	}
	ctx, cancel := halfOf(ctx)
	defer cancel()
	return m.write(ctx, e)
}

// halfOf returns a context with half of the time that is left.
func halfOf(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}

// writeStep writes a step. What concerns the spec has half of the time where others follow.
func (m *Monitor) writeStep(ctx context.Context, s plan.State, step plan.Step, othersFollow bool) (plan.State, error) {
	if step.Kind == plan.MergeSpec && othersFollow {
		half, cancel := halfOf(ctx)
		defer cancel()
		ctx = half
	}
	return m.writer.Write(ctx, s, step)
}

// skips reports whether a report continues without its write of the spec, which failed with the error:
// what concerns the spec never blocks the status. What may pass is tried once more first. A repeat
// of the report writes the spec.
func (m *Monitor) skips(ctx context.Context, e *pending.Entry, err error) bool {
	switch apierr.Classify(err) {
	case apierr.Denied, apierr.Terminal:
		return true
	case apierr.Retry:
		return m.store.noteSpecFailed(e) && ctx.Err() == nil
	default:
		return false
	}
}

// specWritten records that a plan was written, without its write of the spec where that failed.
func (m *Monitor) specWritten(ctx context.Context, p plan.Plan, skipped error) {
	switch {
	case skipped != nil:
		u := p.Final.Update
		u.SpecPending = u != plan.Update{}
		m.store.setUpdate(u)
		m.specFailures.Failed(ctx, m.denied(skipped), "Failed to update the spec of the MachineConfigNode, updating only its status", "node", m.config.NodeName)
	case p.WritesSpec():
		m.specFailures.Recovered(ctx, "Updating the spec of the MachineConfigNode works again", "node", m.config.NodeName)
	}
}
