package components

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/failurelog"
)

// Reporter keeps the conditions of one process on MachineConfiguration/cluster. Create it with New. It
// is safe for concurrent use.
type Reporter struct {
	config Config
	states []State       // that this process can be in
	wake   chan struct{} // of capacity 1: something may have changed

	mu            sync.Mutex // guards the fields that Begin, End, Forget and Judge change; nothing is called under it
	tracker       tracker
	judgements    judgements
	bootstrapping bool           // the first sync of the cluster was not done when this term began
	rejected      map[State]bool // states that this process cannot be in, to log each once
	termEnded     time.Time      // when Run last ended; zero before

	turn   chan struct{} // of capacity 1: held while the object is read and written
	object object        // guarded by turn

	running  atomic.Bool
	failures failurelog.Log // of writes
	waiting  failurelog.Log // for the object
}

// maxRejected is how many rejected states are kept.
const maxRejected = 64

// New returns a Reporter. It makes no request. Invalid input is a *field.Error.
func New(config Config) (*Reporter, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	return &Reporter{
		config:     config,
		states:     reportedBy(config.Component),
		wake:       make(chan struct{}, 1),
		tracker:    newTracker(config.Persist, config.Dwell),
		judgements: judgements{},
		rejected:   map[State]bool{},
		turn:       make(chan struct{}, 1),
		object:     newObject(config),
	}, nil
}

// reports reports whether this process can be in a state; if not, it is logged once.
func (r *Reporter) reports(s State) bool {
	if slices.Contains(r.states, s) {
		return true
	}
	s = State(oneLine(string(s), maxKey))
	r.mu.Lock()
	again := r.rejected[s] || len(r.rejected) >= maxRejected
	if !again {
		r.rejected[s] = true
	}
	r.mu.Unlock()
	if !again {
		klog.Background().Error(nil, "Ignoring a state that this component does not have", "component", r.config.Component, "state", s)
	}
	return false
}

// notify wakes Run.
func (r *Reporter) notify() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// adopt takes over the conditions of an earlier process: its error stays until its step succeeds, and
// for at most ten minutes if that step does not fail again.
func (r *Reporter) adopt(mc *operatorv1.MachineConfiguration, published []metav1.Condition, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bootstrapping = r.config.Component == Operator && isBootstrapping(mc, published, now)

	degraded := find(published, TypeOf(r.config.Component, Degraded))
	if degraded == nil {
		return
	}
	fault, ok := faultOf(r.config.Component, *degraded)
	switch {
	case !ok:
	case fault.Resolved && r.tracker.resolved == nil:
		r.tracker.resolved = &fault
	case !fault.Resolved:
		r.tracker.adopt(fault, now)
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
