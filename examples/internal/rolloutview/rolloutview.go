// Package rolloutview shows the rollout of a simulated cluster as kubectl mcn does.
package rolloutview

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/client-go/tools/cache"

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

// View shows a rollout: a terminal is redrawn, other outputs get a line for each step, and the
// screen at the end. It is a handler of MachineConfigPools.
type View struct {
	cluster  *simulation.Cluster
	out      io.Writer
	terminal terminal.Terminal
	painter  terminal.Painter
	failed   func(error) // called when the output cannot be written
	shown    *simulation.Tracker
	stop     func() // stops what Begin has started

	mu      sync.Mutex // guards the fields below
	pools   map[string]*mcfgv1.MachineConfigPool
	nodes   map[string]progress.Node
	history progress.History
	last    []progress.Pool // as shown
}

var (
	_ simulation.Display         = &View{}
	_ cache.ResourceEventHandler = &View{}
)

// New returns a view of a cluster. It calls failed if the output cannot be written.
func New(out io.Writer, cluster *simulation.Cluster, failed func(error)) (*View, error) {
	t := terminal.Of(out)
	v := &View{
		cluster: cluster, out: out, terminal: t, painter: terminal.Painter{Out: out, Terminal: t},
		failed: failed, shown: simulation.NewTracker(), stop: func() {},
		pools: map[string]*mcfgv1.MachineConfigPool{}, nodes: map[string]progress.Node{},
	}
	_, err := cluster.MachineConfigNodes().Informer().AddEventHandler(v)
	return v, err
}

// OnAdd handles a new MachineConfigPool or MachineConfigNode.
func (v *View) OnAdd(obj any, _ bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch object := obj.(type) {
	case *mcfgv1.MachineConfigNode:
		v.history.Observe(object)
		v.nodes[object.Name] = progress.Of(object)
		v.shown.Shown(object)
	case *mcfgv1.MachineConfigPool:
		v.pools[object.Name] = object
		v.shown.Shown(object)
	}
}

// OnUpdate handles a changed MachineConfigPool or MachineConfigNode.
func (v *View) OnUpdate(_, obj any) { v.OnAdd(obj, false) }

// OnDelete does nothing: the objects of a simulation stay.
func (v *View) OnDelete(any) {}

// Begin shows the cluster, and from then on its changes.
func (v *View) Begin() {
	v.refresh()
	interval := lineInterval
	if v.terminal.IsTerminal {
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
				v.refresh()
			}
		}
	})
	v.stop = sync.OnceFunc(func() {
		cancel()
		group.Wait()
	})
}

// refresh shows the current state.
func (v *View) refresh() {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.cluster.Clock().Now()
	pools := v.progress(now)
	var err error
	if v.terminal.IsTerminal {
		err = v.painter.Paint(v.snapshot(pools, now))
	} else {
		err = v.printMoves(pools, now)
	}
	v.last = pools
	if err != nil {
		v.failed(err)
	}
}

// progress returns the pools that have nodes. The caller holds the lock.
func (v *View) progress(now time.Time) []progress.Pool {
	pools := progress.Pools(slices.Collect(maps.Values(v.pools)), slices.Collect(maps.Values(v.nodes)), &v.history, now, progress.Limits{})
	return slices.DeleteFunc(pools, func(p progress.Pool) bool { return screen.Total(p) == 0 })
}

func (v *View) snapshot(pools []progress.Pool, now time.Time) []screen.Line {
	width, height := v.terminal.Size()
	return screen.Snapshot(pools, screen.Options{Now: now, Width: width, Height: max(0, height-1)}) // the cursor is below
}

// printMoves prints what has changed since the last refresh.
func (v *View) printMoves(pools []progress.Pool, now time.Time) error {
	moves := screen.Found(pools, now)
	if v.last != nil {
		moves = screen.Moves(v.last, pools, now)
	}
	for _, m := range moves {
		if _, err := io.WriteString(v.out, m.Text(now.Location(), false)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// Wait waits until the view has the objects of a state.
func (v *View) Wait(ctx context.Context, state simulation.State) error {
	for _, p := range state.Pools {
		if err := v.shown.Wait(ctx, p); err != nil {
			return err
		}
	}
	for _, mcn := range state.MachineConfigNodes {
		if err := v.shown.Wait(ctx, mcn); err != nil {
			return err
		}
	}
	return nil
}

// End shows the last state. Other outputs than a terminal get its screen too.
func (v *View) End() error {
	v.stop()
	v.refresh()
	if v.terminal.IsTerminal {
		return nil
	}
	_, err := io.WriteString(v.out, "\n"+screen.Text(v.snapshot(v.last, v.cluster.Clock().Now())))
	return err
}

// Close stops the view where it is.
func (v *View) Close() {
	v.stop()
	v.painter.Close()
}
