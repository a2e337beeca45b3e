package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
)

// The parties of this process whose requests are counted.
const (
	daemonsParty = "daemons"
	nodesParty   = "node patches"
)

const (
	// warmUp is how many updates precede the measurement, so that the server compiles the schema.
	warmUp = 50
	// createAtATime is how many objects are created at a time, before anything is measured.
	createAtATime = 32
	// createTimeout is for all MachineConfigNodes to be created.
	createTimeout = 10 * time.Minute
	// callTimeout is longer than a daemon's, so that no report is pending on a loaded machine.
	callTimeout = time.Minute
)

// fleet is all nodes with their daemons.
type fleet struct {
	nodes     []*workerNode
	daemons   *party
	patches   *party // of Nodes; nil: not counted
	newDaemon newDaemon
	calls     []call
	atATime   int
}

// newWorkerNodes returns nodes that have config 1, except those for the warm-up, which have
// config 0.
func newWorkerNodes(first, n int) []*workerNode {
	nodes := make([]*workerNode, n)
	for i := range nodes {
		current := 1
		if i < warmUp {
			current = 0
		}
		nodes[i] = newWorkerNode(first+i, config(current))
	}
	return nodes
}

// warm returns the nodes that are updated to config 1 before the measurement.
func (f *fleet) warm() []*workerNode { return f.nodes[:min(warmUp, len(f.nodes))] }

func (f *fleet) createNodes(ctx context.Context, by *party) error {
	return each(ctx, createAtATime, f.nodes, func(ctx context.Context, node *workerNode) error {
		return node.create(ctx, by)
	})
}

// createObjects creates the MachineConfigNodes if no controller does.
func (f *fleet) createObjects(ctx context.Context, by *party) error {
	return each(ctx, createAtATime, f.nodes, func(ctx context.Context, node *workerNode) error {
		d, err := newOurs(by, node)
		if err != nil {
			return err
		}
		return d.spec(ctx)
	})
}

// waitForObjects waits until a controller has created all MachineConfigNodes.
func (f *fleet) waitForObjects(ctx context.Context, by *party) error {
	found := 0
	err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, createTimeout, true, func(ctx context.Context) (bool, error) {
		list, err := by.mcfg.MachineconfigurationV1().MachineConfigNodes().List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return false, err
		}
		found = len(list.Items)
		if list.RemainingItemCount != nil {
			found += int(*list.RemainingItemCount)
		}
		return found >= len(f.nodes), nil
	})
	if err != nil {
		return fmt.Errorf("only %d of %d MachineConfigNodes created: %w", found, len(f.nodes), err)
	}
	return nil
}

// reportUpdated reports for each node that it needs no update.
func (f *fleet) reportUpdated(ctx context.Context, by *party) error {
	return each(ctx, createAtATime, f.nodes, func(ctx context.Context, node *workerNode) error {
		d, err := newOurs(by, node)
		if err != nil {
			return err
		}
		for _, c := range updatedReports(f.calls) {
			if err := d.report(ctx, c); err != nil {
				return fmt.Errorf("node %s: %s %s: %w", node.name, c.phase, c.status, err)
			}
		}
		return nil
	})
}

// update updates nodes to a config, and returns when the last of them has reported it.
func (f *fleet) update(ctx context.Context, nodes []*workerNode, config string) (last time.Time, err error) {
	var mu sync.Mutex
	err = each(ctx, f.atATime, nodes, func(ctx context.Context, node *workerNode) error {
		err := f.updateOne(ctx, node, config)
		mu.Lock()
		defer mu.Unlock()
		last = time.Now()
		return err
	})
	return last, err
}

func (f *fleet) updateOne(ctx context.Context, node *workerNode, config string) error {
	d, err := f.newDaemon(f.daemons, node)
	if err != nil {
		return err
	}
	for _, c := range f.calls {
		if err := node.edit(ctx, f.patches, c.before, config); err != nil {
			return fmt.Errorf("node %s: %w", node.name, err)
		}
		if c.restarted {
			if d, err = f.newDaemon(f.daemons, node); err != nil {
				return err
			}
		}
		if c.spec {
			if err := d.spec(ctx); err != nil {
				return fmt.Errorf("node %s: spec: %w", node.name, err)
			}
		}
		if err := d.report(ctx, c); err != nil {
			return fmt.Errorf("node %s: %s %s: %w", node.name, c.phase, c.status, err)
		}
	}
	return nil
}

// each does the work for every node, some at a time. After an error no more are started.
func each(ctx context.Context, atATime int, nodes []*workerNode, work func(context.Context, *workerNode) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workqueue.ParallelizeUntil(ctx, atATime, len(nodes), func(i int) {
		if err := work(ctx, nodes[i]); err != nil {
			cancel(err)
		}
	})
	return context.Cause(ctx)
}
