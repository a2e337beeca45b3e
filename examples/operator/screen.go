package main

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/examples/internal/simulation"
	"github.com/openshift/upgrademonitor/examples/internal/terminal"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// How often a terminal is redrawn, and the lines for other outputs are written.
const (
	redrawInterval = 250 * time.Millisecond
	lineInterval   = 50 * time.Millisecond
)

// rolloutScreen shows a rollout as kubectl mcn does: a terminal is redrawn, other outputs get a
// line for each step, and the screen at the end.
type rolloutScreen struct {
	cluster  *simulation.Cluster
	out      io.Writer
	terminal terminal.Terminal
	painter  terminal.Painter
	failed   func(error)   // called when the output cannot be written
	changed  chan struct{} // holds an entry after a change
	stop     func()        // stops what begin has started

	mu       sync.Mutex // guards the fields below
	pools    map[string]*mcfgv1.MachineConfigPool
	nodes    map[string]progress.Node
	versions map[string]string // of the objects of nodes
	history  progress.History
	last     []progress.Pool // as shown
}

func newRolloutScreen(streams program.Streams, cluster *simulation.Cluster, failed func(error)) (*rolloutScreen, error) {
	t := terminal.Of(streams.Out)
	s := &rolloutScreen{
		cluster: cluster, out: streams.Out, terminal: t, painter: terminal.Painter{Out: streams.Out, Terminal: t},
		failed: failed, changed: make(chan struct{}, 1), stop: func() {},
		pools: map[string]*mcfgv1.MachineConfigPool{}, nodes: map[string]progress.Node{}, versions: map[string]string{},
	}
	_, err := cluster.MachineConfigNodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    s.observe,
		UpdateFunc: func(_, obj any) { s.observe(obj) },
	})
	return s, err
}

// observe handles a new or changed MachineConfigNode or MachineConfigPool.
func (s *rolloutScreen) observe(obj any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch object := obj.(type) {
	case *mcfgv1.MachineConfigNode:
		s.history.Observe(object)
		s.nodes[object.Name] = progress.Of(object)
		s.versions[object.Name] = object.ResourceVersion
	case *mcfgv1.MachineConfigPool:
		s.pools[object.Name] = object
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// OnAdd handles a new pool.
func (s *rolloutScreen) OnAdd(obj any, _ bool) { s.observe(obj) }

// OnUpdate handles a changed pool.
func (s *rolloutScreen) OnUpdate(_, obj any) { s.observe(obj) }

// OnDelete does nothing: the pools of a simulation stay.
func (s *rolloutScreen) OnDelete(any) {}

// begin shows the cluster, and from then on its changes.
func (s *rolloutScreen) begin() {
	s.refresh()
	interval := lineInterval
	if s.terminal.IsTerminal {
		interval = redrawInterval
	}
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				s.refresh()
			}
		}
	})
	s.stop = sync.OnceFunc(func() {
		cancel()
		group.Wait()
	})
}

// refresh shows the current state.
func (s *rolloutScreen) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.cluster.Clock().Now()
	pools := s.progress(now)
	var err error
	if s.terminal.IsTerminal {
		err = s.painter.Paint(s.snapshot(pools, now))
	} else {
		err = s.printMoves(pools, now)
	}
	s.last = pools
	if err != nil {
		s.failed(err)
	}
}

// progress returns the pools that have nodes. The caller holds the lock.
func (s *rolloutScreen) progress(now time.Time) []progress.Pool {
	pools := progress.Pools(slices.Collect(maps.Values(s.pools)), slices.Collect(maps.Values(s.nodes)), &s.history, now, progress.Limits{})
	return slices.DeleteFunc(pools, func(p progress.Pool) bool { return screen.Total(p) == 0 })
}

func (s *rolloutScreen) snapshot(pools []progress.Pool, now time.Time) []screen.Line {
	width, height := s.terminal.Size()
	return screen.Snapshot(pools, screen.Options{Now: now, Width: width, Height: max(0, height-1)}) // the cursor is below
}

// printMoves prints what has changed since the last refresh.
func (s *rolloutScreen) printMoves(pools []progress.Pool, now time.Time) error {
	moves := screen.Found(pools, now)
	if s.last != nil {
		moves = screen.Moves(s.last, pools, now)
	}
	for _, m := range moves {
		if _, err := io.WriteString(s.out, m.Text(now.Location(), false)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// until waits until the screen has the objects of a state.
func (s *rolloutScreen) until(ctx context.Context, state simulation.State) error {
	for !s.has(state) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.changed:
		}
	}
	return nil
}

func (s *rolloutScreen) has(state simulation.State) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, mcn := range state.MachineConfigNodes {
		if s.versions[name] != mcn.ResourceVersion {
			return false
		}
	}
	return hasPools(s.pools, state.Pools)
}

// end shows the last state. Other outputs than a terminal get its screen too.
func (s *rolloutScreen) end() error {
	s.stop()
	s.refresh()
	if s.terminal.IsTerminal {
		return nil
	}
	_, err := io.WriteString(s.out, "\n"+screen.Text(s.snapshot(s.last, s.cluster.Clock().Now())))
	return err
}

// close stops the screen where it is.
func (s *rolloutScreen) close() {
	s.stop()
	s.painter.Close()
}
