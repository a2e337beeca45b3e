package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/examples/internal/simulation"
)

// The speeds of a simulated cluster: one for a rollout that is watched, and a higher one for a
// single view of its middle.
const (
	simulatedStep   = 40 * time.Second
	simulatedJitter = 0.6
	simulatedSpeed  = 60
	lookSpeed       = 600
)

// simulateFlags describe a cluster in memory.
type simulateFlags struct {
	nodes    int
	failNode string
	speed    float64
	seed     uint64

	changed func(flag string) bool
}

func (f *simulateFlags) bind(flags *pflag.FlagSet) {
	flags.IntVar(&f.nodes, "simulate", 0, "update a cluster of so many `nodes` in memory in place of a real one")
	flags.StringVar(&f.failNode, "fail-node", "", "with --simulate, the `name` of a node whose drain fails, worker-3 for example")
	flags.Float64Var(&f.speed, "speed", 0, "with --simulate, how many seconds pass in one (default 60, or 600 for one look)")
	f.changed = flags.Changed
}

// asked reports whether any of the flags was set.
func (f *simulateFlags) asked() bool {
	return f.changed("simulate") || f.changed("fail-node") || f.changed("speed")
}

// options describe the cluster, for one look only or for many.
func (f *simulateFlags) options(once bool) simulation.Options {
	o := simulation.Options{Nodes: f.nodes, Step: simulatedStep, Jitter: simulatedJitter, Seed: f.seed, Speed: f.speed, FailNode: f.failNode}
	switch {
	case f.changed("speed"):
	case once:
		o.Speed = lookSpeed
	default:
		o.Speed = simulatedSpeed
	}
	return o
}

// simulated is an in-memory source. Its rollout begins when it is loaded or followed.
type simulated struct {
	*cluster
	simulation *simulation.Cluster
	fails      bool      // a node does
	stopped    time.Time // the time of the only view; zero: it continues
}

// newSimulated creates the cluster. once is for a single view.
func newSimulated(ctx context.Context, p cli, f simulateFlags, once bool) (*simulated, error) {
	if !f.changed("simulate") {
		return nil, usage("--fail-node and --speed require --simulate")
	}
	options := f.options(once)
	if err := options.Validate(); err != nil {
		return nil, usage("%w", err)
	}
	c, err := simulation.New(ctx, options)
	if err != nil {
		return nil, usage("%w", err)
	}
	return &simulated{
		cluster:    &cluster{client: c.Client(), host: "in memory", clock: c.Clock(), patience: p.patience},
		simulation: c, fails: f.failNode != "",
	}, nil
}

func (s *simulated) now() time.Time {
	if !s.stopped.IsZero() {
		return s.stopped
	}
	return s.cluster.now()
}

// load runs the rollout to its middle or, if a node fails, to its end: then it returns why it is
// blocked, with a store that is filled.
func (s *simulated) load(ctx context.Context, st *store, t trimmer) error {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.follow(ctx, st, t) }()
	defer func() { <-ended }() //nolint:errcheck // it was reported to the view
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return context.Canceled
		case err := <-ended:
			ended <- nil
			if ctx.Err() != nil {
				return context.Canceled
			}
			s.stopped = s.cluster.now()
			if errors.Is(err, errFinished) {
				return nil
			}
			return err
		case <-st.changed:
		}
		now := s.cluster.now()
		if !s.fails && isMiddle(st.look(now)) {
			s.stopped = now
			return nil
		}
	}
}

// isMiddle reports whether half of the nodes are done, and others are updating.
func isMiddle(v view) bool {
	var done, all, updating int
	for _, p := range v.pools {
		done, all, updating = done+p.Done, all+screen.Total(p), updating+p.Updating
	}
	return v.filled && updating > 0 && 2*done >= all
}

// errFinished is the end of a source.
var errFinished = errors.New("the rollout is over")

// follow runs the rollout, and returns errFinished at its end, or why it is blocked.
func (s *simulated) follow(ctx context.Context, st *store, t trimmer) error {
	ctx = klog.NewContext(ctx, klog.Logger{}) // what fails is on the screen
	err := s.simulation.Run(ctx, s.simulation.Controllers, func(ctx context.Context) error {
		state, err := s.simulation.WaitForStatus(ctx)
		if err != nil {
			return err
		}
		following, stop := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- s.cluster.follow(following, st, t) }()
		defer func() { <-ended }() //nolint:errcheck // it was reported to the view
		defer stop()
		s.catchUp(ctx, st, state)
		failure := s.simulation.Rollout(ctx)
		if state, err = s.simulation.WaitForStatus(ctx); err != nil {
			return err
		}
		s.catchUp(ctx, st, state)
		return failure
	})
	switch {
	case ctx.Err() != nil:
		return nil //nolint:nilerr // the caller has ended it
	case err == nil:
		return errFinished
	}
	return err
}

// targets returns the configs of the pools.
func (s *simulated) targets(ctx context.Context) ([]string, error) {
	pools, err := s.client.MachineconfigurationV1().MachineConfigPools().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var configs []string
	for _, p := range pools.Items {
		configs = append(configs, p.Spec.Configuration.Name)
	}
	return configs, nil
}
