package components

import (
	"context"
	"sync"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

// Reporter keeps the conditions of one process on MachineConfiguration/cluster. Create it with New. It
// is safe for concurrent use.
type Reporter struct {
	config   Config
	wake     chan struct{} // of capacity 1: something may have changed
	failures apierr.Log    // of reads and writes, and of states that this process does not have

	mu      sync.Mutex // guards what Begin, End, Forget and SetPeerConditions change; nothing is called under it
	running running
	faults  faults
	peers   peers

	turn      chan struct{}      // of capacity 1: held while the object is read and written; guards the rest
	inherited bool               // published and desired are known
	published []metav1.Condition // of this process, as last read or written
	desired   []metav1.Condition // as last computed
	last      lastErrors
	version   string // the resource version of the last write
	pace      pace
	cleared   bool // nothing is written any more
	health    map[Component]Health
}

// New returns a Reporter. It makes no request. Invalid input is a *field.Error.
func New(config Config) (*Reporter, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	return &Reporter{
		config:  config,
		wake:    make(chan struct{}, 1),
		turn:    make(chan struct{}, 1),
		running: running{after: config.ProgressingAfter, passes: map[step]*pass{}},
		faults:  faults{inertia: config.DegradedInertia, open: map[step]*fault{}},
		peers:   peers{},
		last:    lastErrors{},
		health:  map[Component]Health{},
	}, nil
}

// SetPeerConditions reports conditions of another component: the operator those of the daemons, and
// whether the controller is Available; the controller whether the operator is. Types that are not passed
// are unchanged.
//
// A good status is published at once, any other one when it has lasted: Progressing for ProgressingAfter,
// Available=False of the daemons for ten minutes, others for DegradedInertia. Times in the conditions are
// ignored. For invalid input it returns a *field.Error, and reports nothing. It does not block.
func (r *Reporter) SetPeerConditions(c Component, list ...metav1.Condition) error {
	if r == nil {
		return nil
	}
	if err := validatePeer(r.config.Component, c, list); err != nil {
		return err
	}
	now := r.config.Clock.Now()
	r.mu.Lock()
	for _, condition := range list {
		r.peers.set(condition, now)
	}
	r.mu.Unlock()
	r.notify()
	return nil
}

// notify wakes Run.
func (r *Reporter) notify() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// lock acquires the turn to read and write the object.
func (r *Reporter) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case r.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Reporter) unlock() { <-r.turn }

// inherit takes over the conditions of an earlier process.
func (r *Reporter) inherit(mc *operatorv1.MachineConfiguration, now time.Time) {
	if r.inherited {
		return
	}
	r.inherited = true
	r.published = own(mc.Status.Conditions, r.config.Component)
	r.desired = own(mc.Status.Conditions, r.config.Component)
	if degraded := meta.FindStatusCondition(r.desired, TypeOf(r.config.Component, Degraded)); degraded != nil && degraded.Status == metav1.ConditionTrue {
		r.mu.Lock()
		r.faults.inherited = now
		r.mu.Unlock()
	}
}

// conditions returns the desired conditions of this process. A condition that is not known yet is kept
// as it was desired before, or omitted.
func (r *Reporter) conditions(mc *operatorv1.MachineConfiguration, now time.Time) []metav1.Condition {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []metav1.Condition
	for _, t := range writtenBy(r.config.Component) {
		was := meta.FindStatusCondition(r.desired, t.name())
		var c metav1.Condition
		switch {
		case t.component == Bootstrap:
			c = r.bootstrap(mc, was, meta.FindStatusCondition(list, TypeOf(Operator, Degraded)), now)
		case t.component != t.writer:
			c = r.peers.condition(t, was, &r.config, now)
		case t.aspect == Degraded:
			c = r.faults.degraded(was, now)
		default:
			c = r.running.progressing(now)
		}
		if c.Status == "" {
			continue
		}
		c.Type = t.name()
		if t.aspect == Degraded {
			r.last.complete(&c, was, now)
		}
		c.LastTransitionTime = transitionTime(c, meta.FindStatusCondition(r.published, c.Type), was, now)
		list = append(list, c)
	}
	return list
}

// transitionTime returns the lastTransitionTime of a condition: that of the published one, or of the one
// that was desired before, if the status is the same. It never decreases.
func transitionTime(c metav1.Condition, published, was *metav1.Condition, now time.Time) metav1.Time {
	switch {
	case published != nil && published.Status == c.Status:
		return published.LastTransitionTime
	case was != nil && was.Status == c.Status:
		return was.LastTransitionTime
	case published != nil && now.Before(published.LastTransitionTime.Time):
		return published.LastTransitionTime
	default:
		return seconds(now)
	}
}
