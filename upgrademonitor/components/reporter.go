package components

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// Reporter reports the conditions of one process on MachineConfiguration/cluster. Create a Reporter
// with New. A Reporter is safe for concurrent use. A nil Reporter reports nothing. So a process can
// use a nil Reporter while the feature is off, and still call Begin, Track, Forget and
// SetPeerConditions.
type Reporter struct {
	config  Config
	wake    chan struct{} // capacity 1; a value means that a condition may have changed
	ignored sync.Map      // the states of other components that were logged

	mu      sync.Mutex // guards tracker; must not be held while a function of the caller runs
	tracker *tracker

	// Only Run uses the fields below.
	failures map[string]string                // the cause of each task's failure that is not over
	desired  []metav1.Condition               // the last result of tracker.conditions
	written  *operatorv1.MachineConfiguration // the object in the response to the last write
	last     time.Time                        // the time of the last write
	next     time.Time                        // the earliest time of the next write
	backoff  wait.Backoff
}

// Begin reports that the process starts a step. Call end when the step ends, with the error of the
// step or with nil. A nil error resolves an earlier error of the same state and key. A second call
// of end does nothing. Begin and end do not block.
//
// key is the name of the object that the step works on, or "" if there is no such object. If the
// state belongs to another component, Begin logs an error once and ignores the step.
func (r *Reporter) Begin(s State, key string) (end func(error)) {
	p := r.start(s, key)
	return func(err error) { r.end(p, err, false) }
}

// Track runs work as a step, and returns the error of work. If work panics, Track reports an error,
// and does not recover the panic. If work returns context.Canceled after ctx was canceled, Track
// reports neither an error nor a success.
func (r *Reporter) Track(ctx context.Context, s State, key string, work func(context.Context) error) error {
	if work == nil {
		return errors.New("components: Track: work is nil: pass the function that does the work of the step")
	}
	p, err := r.start(s, key), errPanicked
	defer func() { r.end(p, err, errors.Is(ctx.Err(), context.Canceled) && errors.Is(err, context.Canceled)) }()
	err = work(ctx)
	return err
}

var errPanicked = errors.New("the step panicked: see the log of the process")

// start returns nil if the component does not have the state, or if too many steps are running.
func (r *Reporter) start(s State, key string) *pass {
	switch {
	case r == nil:
		return nil
	case !slices.Contains(statesOf[r.config.Component], s):
		if _, logged := r.ignored.LoadOrStore(s, true); !logged {
			klog.Background().Error(nil, "Ignoring a step: pass a State of the component",
				"component", r.config.Component, "state", oneLine(string(s)))
		}
		return nil
	}
	now := r.lock()
	defer r.mu.Unlock()
	return r.tracker.start(newStep(s, key), now)
}

func (r *Reporter) lock() (now time.Time) {
	now = r.config.Clock.Now()
	r.mu.Lock()
	return now
}

func (r *Reporter) end(p *pass, err error, isCanceled bool) {
	if p == nil {
		return
	}
	text := shorten(fmt.Sprint(err)) // fmt.Sprint recovers if err.Error panics, for example on a nil pointer
	now := r.lock()
	defer r.mu.Unlock()
	switch {
	case isCanceled:
		r.tracker.end(p)
	case err != nil:
		r.tracker.fail(p, text, now)
	default:
		r.tracker.succeed(p, now)
	}
	r.notify()
}

// Forget removes the error and the running steps of a state and a key. Call Forget when the object
// that the key names is deleted.
func (r *Reporter) Forget(s State, key string) {
	if r == nil {
		return
	}
	now := r.lock()
	defer r.mu.Unlock()
	r.tracker.forget(newStep(s, key), now)
	r.notify()
}

// SetPeerConditions reports conditions of another component, for example the conditions that the
// functions Daemons and Deployment return. The operator reports the conditions of the daemons, and
// Available of the controller. The controller reports Available of the operator. A condition that
// is not in the list is unchanged.
//
// Available=True, Degraded=False and Progressing=False are published at once. Available=False is
// published after it has lasted for 10 minutes, and any other status after 2 minutes. The
// lastTransitionTime of each condition in the list is ignored. If a condition is invalid,
// SetPeerConditions returns a *field.Error and reports nothing. SetPeerConditions does not block.
func (r *Reporter) SetPeerConditions(c Component, list ...metav1.Condition) error {
	if r == nil {
		return nil
	}
	if err := validatePeer(r.config.Component, c, list); err != nil {
		return err
	}
	now := r.lock()
	defer r.mu.Unlock()
	for _, condition := range list {
		r.tracker.setPeer(condition, now)
	}
	r.notify()
	return nil
}

func validatePeer(writer, peer Component, list []metav1.Condition) error {
	for i, c := range list {
		path := field.NewPath("components", "SetPeerConditions", "conditions").Index(i)
		isReported := slices.ContainsFunc(conditionTypes, func(t conditionType) bool {
			return t.name() == c.Type && t.component == peer && t.writer == writer && peer != writer && peer != Bootstrap
		})
		switch {
		case !isReported:
			return field.Invalid(path.Child("type"), c.Type, string(writer)+" does not report this condition of "+string(peer))
		case c.Status != metav1.ConditionTrue && c.Status != metav1.ConditionFalse && c.Status != metav1.ConditionUnknown:
			return field.Invalid(path.Child("status"), c.Status, "must be True, False or Unknown")
		case !validate.IsReason(c.Reason):
			return field.Invalid(path.Child("reason"), c.Reason, "must be a CamelCase word that matches "+validate.ReasonPattern)
		}
	}
	return nil
}

// notify wakes Run.
func (r *Reporter) notify() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}
