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
	// send makes the request on the object that the write was computed from, or that the
	// write before it has returned, with its resource version as the precondition.
	send func(m *Monitor, ctx context.Context, on *mcfgv1.MachineConfigNode, next state) (*mcfgv1.MachineConfigNode, error)
}

// plan is what makes an intent true: the writes, none where it is true already, and the
// update that is under way then.
type plan struct {
	from   state
	writes []write
	begun  update
}

// last returns the state that the plan leads to.
func (p plan) last() state {
	s := p.from
	if n := len(p.writes); n > 0 {
		s = p.writes[n-1].next
	}
	s.begun = p.begun
	return s
}

// conflictBackoff bounds how often a write is computed anew because others wrote first. A
// call's Timeout comes first, even against others that do nothing but write.
var conflictBackoff = wait.Backoff{Steps: 60, Duration: 5 * time.Millisecond, Factor: 1.1, Jitter: 1}

// refusal is a final error: the intent cannot become true, however often it is tried.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// final reports whether trying again is of no use.
func final(err error) bool {
	var r refusal
	return errors.As(err, &r)
}

// overtaken is the error of a request whose object is not the one that it was computed
// from: others have changed, deleted or created it meanwhile.
type overtaken struct{ error }

func (o overtaken) Unwrap() error { return o.error }

// write makes an intent true of the object. Each request carries the resource version
// that it was computed from; when others wrote first, it is read and computed anew. A
// final error says that the intent is refused; after any other it may be tried again.
// Callers hold m.writing.
func (m *Monitor) write(ctx context.Context, in intent) error {
	var last error
	err := wait.ExponentialBackoffWithContext(ctx, conflictBackoff, func(ctx context.Context) (bool, error) {
		last = denied(m.config.NodeName, explain(m.attempt(ctx, in)))
		var stale overtaken
		switch {
		case last == nil:
			return true, nil
		case final(last):
			return false, last
		case undeclared(last) && m.leaveOutImages(ctx):
			return false, nil
		}
		m.doubt() // whether it was written or not is for the next read to tell
		if errors.As(last, &stale) {
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
	if m.inDoubt() {
		if err := m.read(ctx, in); err != nil {
			return err
		}
	}
	p, undecided, err := m.plan(in)
	if undecided && (err != nil || len(p.writes) == 0) {
		if err := m.read(ctx, in); err != nil {
			return err
		}
		p, _, err = m.plan(in)
	}
	if err != nil {
		return refusal{in.refused(err)}
	}
	if len(p.writes) == 0 {
		m.remember(p.begun)
		return nil
	}
	on := p.from.object
	for _, w := range p.writes {
		if on, err = w.send(m, ctx, on, w.next); err != nil {
			err = fmt.Errorf("MachineConfigNode %s: %s: %w", m.config.NodeName, in, err)
			if changedByOthers(err) {
				return overtaken{err}
			}
			return err
		}
		m.learn(on, w.next.begun, in)
	}
	return nil
}

// changedByOthers reports whether a write came too late. A conflict of field managers is no
// such thing: applies are forced, so that trying again cannot help.
func changedByOthers(err error) bool {
	return apierrors.IsConflict(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) || apierrors.IsNotFound(err)
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

// explain turns an error that no later attempt can mend into a refusal: the object is
// invalid, or too large for the API server or for etcd. A denial by a
// ValidatingAdmissionPolicy looks like an invalid object, but policies come and go.
func explain(err error) error {
	switch {
	case apierrors.IsInvalid(err) && !strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"),
		apierrors.IsRequestEntityTooLargeError(err),
		apierrors.IsInternalError(err) && strings.Contains(err.Error(), "request is too large"):
		return refusal{err}
	}
	return err
}
