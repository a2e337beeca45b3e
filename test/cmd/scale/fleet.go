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
	// warmUp is how many updates precede what is measured: they have the server compile the
	// schema.
	warmUp = 50
	// createAtATime is how many objects are created at a time, before anything is measured.
	createAtATime = 32
	// createTimeout is for all MachineConfigNodes to be there.
	createTimeout = 10 * time.Minute
	// callTimeout is more than a daemon's, so that a busy machine does not leave reports pending.
	callTimeout = time.Minute
)

// fleet is all nodes with their daemons.
type fleet struct {
	nodes     []*workerNode
	daemons   *party
	patches   *party // of Nodes; nil: nobody needs to see them
	newDaemon newDaemon
	calls     []call
	atATime   int
}

// newWorkerNodes are nodes that have config 1, but those that are for the warm-up, which have
// config 0.
func newWorkerNodes(first, n int) []*workerNode {
	nodes := make([]*workerNode, n)
	for i := range nodes {
		has := 1
		if i < warmUp {
			has = 0
		}
		nodes[i] = newWorkerNode(first+i, config(has))
	}
	return nodes
}

// warm is the nodes that are updated to config 1 before anything is measured.
func (f *fleet) warm() []*workerNode { return f.nodes[:min(warmUp, len(f.nodes))] }

func (f *fleet) createNodes(ctx context.Context, by *party) error {
	return each(ctx, createAtATime, f.nodes, func(ctx context.Context, node *workerNode) error {
		return node.create(ctx, by)
	})
}

// createObjects makes the MachineConfigNodes where no controller does.
func (f *fleet) createObjects(ctx context.Context, by *party) error {
	return each(ctx, createAtATime, f.nodes, func(ctx context.Context, node *workerNode) error {
		d, err := newOurs(by, node)
		if err != nil {
			return err
		}
		return d.spec(ctx)
	})
}

// waitForObjects returns when a controller has made all MachineConfigNodes.
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
		return fmt.Errorf("%d of %d MachineConfigNodes are there: %w", found, len(f.nodes), err)
	}
	return nil
}

// settle has each node report that it needs no update.
func (f *fleet) settle(ctx context.Context, by *party) error {
	return each(ctx, createAtATime, f.nodes, func(ctx context.Context, node *workerNode) error {
		d, err := newOurs(by, node)
		if err != nil {
			return err
		}
		for _, c := range settled(f.calls) {
			if err := d.report(ctx, c); err != nil {
				return fmt.Errorf("node %s: %s %s: %w", node.name, c.phase, c.status, err)
			}
		}
		return nil
	})
}

// update takes nodes to a config, and says when the last of them had reported that it is there.
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

// each does the work on every node, some at a time. After a first error no more are begun.
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
