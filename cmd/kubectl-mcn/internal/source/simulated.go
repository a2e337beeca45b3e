package source

import (
	"context"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/simulate"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Simulated is a cluster in memory. Its rollout begins when it is followed.
type Simulated struct {
	Cluster
	Before []string // the configs of the pools before the rollout

	simulation *simulate.Cluster
	fails      bool // a node does
}

// NewSimulated returns a simulated cluster.
func NewSimulated(ctx context.Context, o simulate.Options, patience time.Duration) (*Simulated, error) {
	c, err := simulate.New(ctx, o)
	if err != nil {
		return nil, &UsageError{err}
	}
	return &Simulated{
		Cluster: Cluster{Client: c.Client, Host: "in memory", Clock: c.Clock, Patience: patience},
		Before:  simulate.Before(), simulation: c, fails: o.FailNode != "",
	}, nil
}

// Origin says that the cluster is none.
func (s *Simulated) Origin() string { return "a simulated cluster" }

// IsMiddle reports whether half of the nodes are done, and others are updating. A rollout that fails has no
// middle: its end is more interesting.
func (s *Simulated) IsMiddle(v View) bool {
	var done, all, updating int
	for _, p := range v.Pools {
		done, all, updating = done+p.Done, all+p.Total(), updating+p.Updating
	}
	return !s.fails && updating > 0 && 2*done >= all
}

// Follow runs the rollout, and returns ErrFinished at its end, or why it is blocked, once the store has
// all of it.
func (s *Simulated) Follow(ctx context.Context, st *Store) error {
	ctx = klog.NewContext(ctx, klog.Logger{}) // what fails is on the screen
	err := s.simulation.RunWith(ctx, func(ctx context.Context) error {
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

// catchUp waits until a store has the nodes as they are.
func (s *Simulated) catchUp(ctx context.Context, st *Store) error {
	list, err := s.Client.MachineconfigurationV1().MachineConfigNodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(context.Context) (bool, error) {
		st.mu.Lock()
		defer st.mu.Unlock()
		return !slices.ContainsFunc(list.Items, func(mcn mcfgv1.MachineConfigNode) bool {
			want, has := progress.FromMachineConfigNode(&mcn), st.nodes[mcn.Name]
			return has.State != want.State || has.Step != want.Step || !has.Since.Equal(want.Since)
		}), nil
	})
}
