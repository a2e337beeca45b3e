package upgrademonitor

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/pending"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// conflictBackoff bounds how often a write is planned again because others wrote first. A
// call's Timeout comes first, even against others that do nothing but write.
var conflictBackoff = wait.Backoff{Steps: 60, Duration: 5 * time.Millisecond, Factor: 1.1, Jitter: 1}

// write makes an intent true of the object. Each request carries the resource version that it
// was planned on; when others wrote first, the object is read and the intent planned again. A
// terminal error drops the intent; after any other it may be tried again. Callers hold m.turn.
func (m *Monitor) write(ctx context.Context, e *pending.Entry) error {
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, conflictBackoff, func(ctx context.Context) (bool, error) {
		last = m.attempt(ctx, e)
		if last == nil || isTerminal(last) {
			return true, last
		}
		switch apierr.Classify(last) {
		case apierr.NoImageField:
			m.dropImageField(ctx, last)
			return false, nil
		case apierr.Terminal:
			if apierr.IsTooLarge(last) && m.store.halve(e) {
				return false, nil
			}
			last = &terminalError{fmt.Errorf("%s: %w", e, last)}
			m.store.markStale()
			return true, last
		case apierr.Denied:
			last = m.denied(last)
			if m.giveUpRestore(ctx, last) {
				return false, nil
			}
		case apierr.Conflict:
			m.store.markStale()
			return false, nil
		}
		m.store.markStale() // only a read can show whether it was written
		m.store.noteWaiting(e)
		return true, last
	})
	if last != nil {
		return last
	}
	return err
}

// attempt plans an intent on what is known, and writes the steps.
func (m *Monitor) attempt(ctx context.Context, e *pending.Entry) error {
	object := m.listed(ctx)
	if m.store.needsRead(object) {
		if err := m.read(ctx, e.Intent); err != nil {
			return err
		}
	}
	s, p, current, err := m.store.plan(e)
	if !current && (err != nil || len(p.Steps) == 0) {
		if err := m.read(ctx, e.Intent); err != nil {
			return err
		}
		s, p, _, err = m.store.plan(e)
	}
	m.inspect()
	if refusal := err; refusal != nil || !p.WritesStatus() {
		if s, err = m.restore(ctx, e.Intent, s); err != nil {
			return err
		}
		err = refusal
	}
	if err != nil {
		return &terminalError{m.intentRefused(e.Intent, err)}
	}
	if len(p.Steps) == 0 {
		m.store.setUpdate(p.Final.Update)
	}
	var skipped error // of the spec
	for i, step := range p.Steps {
		next, err := m.writeStep(ctx, s, step, i < len(p.Steps)-1)
		switch {
		case err == nil:
			lost := m.store.isLost() && step.Kind == plan.MergeSpec
			m.observe(ctx, next, e.Intent, lost)
			if next.NoImageField != step.Next.NoImageField {
				return errImageFieldPruned // the rest was planned with images
			}
			s = next
		case step.Kind == plan.MergeSpec && !e.IsSpec() && m.skips(ctx, e, err):
			skipped = err
		default:
			return err
		}
	}
	m.specWritten(ctx, p, skipped)
	return nil
}

// observe records the state that a read or a write for an intent led to, and whether the status of
// it is to be restored.
func (m *Monitor) observe(ctx context.Context, s plan.State, in plan.Intent, lost bool) {
	pruned := m.store.observe(s, in, lost)
	m.inspect()
	switch {
	case pruned:
		m.dropImageField(ctx, errImageFieldPruned)
	case !s.NoImageField && s.HasImages():
		m.imageFailures.Recovered(ctx, "Writing the images of the node again", "node", m.config.NodeName)
	}
}
