package components

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// Reporter reports the conditions of one process on MachineConfiguration/cluster. Create a Reporter
// with New, and call Run to write the conditions. A Reporter is safe for concurrent use. A nil Reporter
// reports nothing: Track then only calls its work.
type Reporter struct {
	config Config
	wake   chan struct{} // capacity 1; a value means that a condition may have changed

	mu      sync.Mutex // guards tracker; not held while a function of the caller runs
	tracker *tracker

	// Only Run uses the fields below.
	failures apierr.Failures    // by log message
	desired  []metav1.Condition // the last result of tracker.conditions
	last     time.Time          // the time of the last write
	next     time.Time          // the earliest time of the next write
	backoff  wait.Backoff       // the intervals between the next writes
}

// Begin reports that the process starts a step of its work, for example OperatorSyncMCD. Call end when
// the step ends, with its error or nil. A nil error resolves an earlier error of the same State and key.
// Begin and end do not block. A second call of end does nothing.
//
// key is the name of the object that the step works on, or "". Steps with different keys are
// independent. If s is no valid State, it becomes Errored.
func (r *Reporter) Begin(s State, key string) (end func(error)) {
	if r == nil {
		return func(error) {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.tracker.start(newStateKey(s, key), r.config.Clock.Now())
	return func(err error) {
		text := oneLine(fmt.Sprint(err)) // fmt.Sprint recovers if err.Error panics, for example on a nil pointer
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil {
			r.tracker.fail(p, text, r.config.Clock.Now())
		} else {
			r.tracker.succeed(p)
		}
		r.notify()
	}
}

// Track calls Begin, then work with ctx, then end with the error of work, which it also returns. For
// the State s and the key, see Begin. If work panics, Track reports an error, and does not recover
// the panic.
func (r *Reporter) Track(ctx context.Context, s State, key string, work func(context.Context) error) error {
	if work == nil {
		return errors.New("components: Track: work is nil: pass the function that does the work of the step")
	}
	end := r.Begin(s, key)
	err := errPanicked
	defer func() { end(err) }()
	err = work(ctx)
	return err
}

var errPanicked = errors.New("the step panicked: see the log of the process")

// Forget removes the error and the running steps of a State and a key. Call Forget when the object that
// the key names is deleted. Forget does not block.
func (r *Reporter) Forget(s State, key string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tracker.forget(newStateKey(s, key))
	r.notify()
}

// SetPeerConditions reports conditions of another component: the results of Daemons and Deployment.
// The operator reports the conditions of the daemons, and Available of the controller. The controller
// reports Available of the operator. SetPeerConditions does not block. A condition that is not in the
// list is unchanged. If a condition is invalid, the error is a *field.Error, and nothing is reported.
//
// Run writes Available=True, Degraded=False and Progressing=False at once, Available=False after it has
// lasted for 10 minutes, and any other status after 2 minutes.
func (r *Reporter) SetPeerConditions(c Component, list ...metav1.Condition) error {
	if r == nil {
		return nil
	}
	if err := validatePeer(r.config.Component, c, list); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, condition := range list {
		condition.LastTransitionTime = metav1.NewTime(r.config.Clock.Now())
		meta.SetStatusCondition(&r.tracker.peers, condition)
	}
	r.notify()
	return nil
}

// validatePeer checks the conditions of a peer that a writer passes to SetPeerConditions.
func validatePeer(writer, peer Component, list []metav1.Condition) error {
	for i, c := range list {
		path := field.NewPath("components", "SetPeerConditions", "conditions").Index(i)
		isOfPeer := strings.HasPrefix(c.Type, string(peer)) && slices.Contains(writers[writer].writes, c.Type)
		if !isOfPeer || peer == writer || peer == Bootstrap {
			detail := string(writer) + " does not report this condition of " + string(peer)
			return field.Invalid(path.Child("type"), c.Type, detail)
		}
		c.LastTransitionTime, c.Message = metav1.Unix(1, 0), "" // the Reporter sets its own time, and Run truncates the message
		if errs := metav1validation.ValidateCondition(c, path); len(errs) > 0 {
			return errs[0]
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
