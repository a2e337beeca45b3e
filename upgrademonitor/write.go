package upgrademonitor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// write is one request, and the state that it leads to.
type write struct {
	next state
	send func(*Monitor, context.Context, write) (*mcfgv1.MachineConfigNode, error)
}

// conflictBackoff bounds how often a write is computed anew because others wrote first: for
// about three seconds, against others that do nothing but write.
var conflictBackoff = wait.Backoff{Steps: 20, Duration: 5 * time.Millisecond, Factor: 1.3, Jitter: 1}

// refusal is a final error: the intent cannot become true, however often it is tried.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// final reports whether trying again is of no use.
func final(err error) bool {
	var r refusal
	return errors.As(err, &r)
}

// write makes an intent true of the object. Each request carries the resource version
// that it was computed from; when others wrote first, it is read and computed anew. A
// final error says that the intent is refused; after any other it may be tried again.
// Callers hold m.writing.
func (m *Monitor) write(ctx context.Context, in intent) error {
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, conflictBackoff, func(ctx context.Context) (bool, error) {
		last = denied(m.config.NodeName, explain(m.attempt(ctx, in)))
		switch {
		case last == nil:
			return true, nil
		case final(last):
			return false, last
		}
		if undeclared(last) && m.leaveOutImages(ctx) {
			return false, nil
		}
		m.forget() // whether it was written or not is for the next read to tell
		if overtaken(last) {
			return false, nil
		}
		return false, last
	})
	if err != nil && last != nil {
		return last
	}
	return err
}

// attempt plans an intent on what is known and sends the writes.
func (m *Monitor) attempt(ctx context.Context, in intent) error {
	if err := m.ensure(ctx, in); err != nil {
		return err
	}
	writes, err := m.plan(in)
	undecided := m.fresh(in)
	if undecided && (err != nil || len(writes) == 0) {
		if err := m.read(ctx, in); err != nil {
			return err
		}
		writes, err = m.plan(in)
	}
	if err != nil {
		return refusal{in.refused(err)}
	}
	for _, w := range writes {
		object, err := w.send(m, ctx, w)
		if err != nil {
			return fmt.Errorf("MachineConfigNode %s: %s: %w", m.config.NodeName, in, err)
		}
		m.learn(object, w.next.begun, in)
	}
	return nil
}

// overtaken reports whether the object is not the one that the write was computed from:
// changed, gone, or made by others meanwhile. A conflict of field managers is none: writes
// are forced, so it cannot be helped by trying again.
func overtaken(err error) bool {
	return apierrors.IsConflict(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) ||
		apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err)
}

// undeclared reports whether the CRD does not have a field that was applied: the one for
// images is behind a feature gate.
func undeclared(err error) bool {
	return apierrors.IsInternalError(err) && strings.Contains(err.Error(), "field not declared in schema")
}

// leaveOutImages makes the Monitor do without the CRD's field for images. It reports whether
// that is new.
func (m *Monitor) leaveOutImages(ctx context.Context) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.noImages {
		return false
	}
	m.noImages = true
	klog.FromContext(ctx).Info("Warning: left out the images of a node, for the CRD of MachineConfigNode has no configImage: it is that of another feature set",
		"node", m.config.NodeName)
	return true
}

// explain turns an error that no later attempt can mend into a refusal. A denial by a
// ValidatingAdmissionPolicy looks like an invalid object, but policies come and go.
func explain(err error) error {
	invalid := apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
	if invalid && !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
		return refusal{err}
	}
	return err
}
