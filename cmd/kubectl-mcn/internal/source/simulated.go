package source

import (
	"context"
	"errors"
	"time"

	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/simulate"
)

// Simulated is a cluster in memory. Its rollout begins when it is loaded or followed.
type Simulated struct {
	Cluster
	simulation *simulate.Cluster
	fails      bool      // a node does
	stopped    time.Time // the time of the only view; zero: it continues
}

// NewSimulated returns a simulated cluster.
func NewSimulated(ctx context.Context, o simulate.Options, patience time.Duration) (*Simulated, error) {
	c, err := simulate.New(ctx, o)
	if err != nil {
		return nil, &UsageError{err}
	}
	return &Simulated{
		Cluster:    Cluster{Client: c.Client, Host: "in memory", Clock: c.Clock, Patience: patience},
		simulation: c, fails: o.FailNode != "",
	}, nil
}

// Origin says that the cluster is none.
func (s *Simulated) Origin() string { return "a simulated cluster" }

// Now returns the time of the cluster's clock.
func (s *Simulated) Now() time.Time {
	if !s.stopped.IsZero() {
		return s.stopped
	}
	return s.Cluster.Now()
}

// Load runs the rollout to its middle or, if a node fails, to its end: then it returns why it is
// blocked, with a store that is filled.
func (s *Simulated) Load(ctx context.Context, st *Store) error {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.Follow(ctx, st) }()
	defer func() {
		stop()
		<-ended //nolint:errcheck // it was reported
	}()
	for {
		select {
		case err := <-ended:
			ended <- nil
			s.stopped = s.Cluster.Now()
			if errors.Is(err, ErrFinished) {
				return nil
			}
			return err
		case <-st.Changed:
		}
		now := s.Cluster.Now()
		if !s.fails && isMiddle(st.Look(now)) {
			s.stopped = now
			return nil
		}
	}
}

// isMiddle reports whether half of the nodes are done, and others are updating.
func isMiddle(v View) bool {
	var done, all, updating int
	for _, p := range v.Pools {
		done, all, updating = done+p.Done, all+p.Total(), updating+p.Updating
	}
	return v.Ready && updating > 0 && 2*done >= all
}

// Follow runs the rollout, and returns ErrFinished at its end, or why it is blocked, once the store has
// all of it.
func (s *Simulated) Follow(ctx context.Context, st *Store) error {
	ctx = klog.NewContext(ctx, klog.Logger{}) // what fails is on the screen
	err := s.simulation.Run(ctx, func(ctx context.Context) error {
		if err := s.simulation.Start(ctx); err != nil {
			return err
		}
		following, stop := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- s.Cluster.Follow(following, st) }()
		defer func() {
			stop()
			<-ended //nolint:errcheck // the context has ended
		}()
		if err := s.catchUp(ctx, st); err != nil {
			return err
		}
		result := s.simulation.Rollout(ctx)
		if err := s.catchUp(ctx, st); err != nil {
			return err
		}
		return result
	})
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the caller has ended it
	}
	return err
}

// catchUp waits until a store has the objects as they are.
func (s *Simulated) catchUp(ctx context.Context, st *Store) error {
	want := NewStore(st.limits)
	if err := s.Cluster.Load(ctx, want); err != nil {
		return err
	}
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !st.equals(want) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
	return nil
}

// equals reports whether a store has the nodes that another one has.
func (s *Store) equals(other *Store) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, n := range other.nodes {
		if has, ok := s.nodes[name]; !ok || has.State != n.State || has.Step != n.Step || !has.Since.Equal(n.Since) {
			return false
		}
	}
	return len(s.nodes) == len(other.nodes)
}
