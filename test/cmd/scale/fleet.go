package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/util/workqueue"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// warmUp is the number of updates before the measurement. During these updates, the API server
// compiles the schema.
const warmUp = 50

// fleet has nodes and their daemons.
type fleet struct {
	nodes    []*node
	admin    *client // creates the objects; its requests are not part of the result
	operator *client // patches Nodes
	daemons  *client // all daemons share this client
	atATime  int
}

func newFleet(c *cluster.Cluster, atATime int) (*fleet, error) {
	f := &fleet{atATime: atATime}
	for _, client := range []**client{&f.admin, &f.operator, &f.daemons} {
		var err error
		if *client, err = newClient(c.Config()); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// create creates n Nodes and their MachineConfigNodes. All nodes are up to date. Then create makes the
// warm-up updates.
func (f *fleet) create(ctx context.Context, n int) error {
	f.nodes = make([]*node, n)
	err := each(ctx, 32, n, func(ctx context.Context, i int) (err error) {
		if f.nodes[i], err = createNode(ctx, f.admin, i); err != nil {
			return err
		}
		d, err := newDaemon(f.admin, f.nodes[i])
		if err != nil {
			return err
		}
		if err := d.spec(ctx); err != nil {
			return err
		}
		if err := d.report(ctx, rebootUpdate[len(rebootUpdate)-1]); err != nil {
			return err
		}
		return d.end(ctx)
	})
	if err != nil {
		return fmt.Errorf("create the nodes: %w", err)
	}
	return f.update(ctx, min(warmUp, n), config(1)+"-warm")
}

// update updates the first n nodes to a config.
func (f *fleet) update(ctx context.Context, n int, config string) error {
	return each(ctx, f.atATime, n, func(ctx context.Context, i int) error {
		if err := f.updateNode(ctx, f.nodes[i], config); err != nil {
			return fmt.Errorf("node %s: %w", f.nodes[i].name, err)
		}
		return nil
	})
}

func (f *fleet) updateNode(ctx context.Context, n *node, config string) error {
	d, err := newDaemon(f.daemons, n)
	if err != nil {
		return err
	}
	for _, c := range rebootUpdate {
		if err := n.edit(ctx, f.operator, c.before, config); err != nil {
			return err
		}
		if c.spec {
			if err := d.spec(ctx); err != nil {
				return err
			}
		}
		if err := d.report(ctx, c); err != nil {
			return fmt.Errorf("%s %s: %w", c.phase, c.status, err)
		}
	}
	return d.end(ctx)
}

// each calls work n times, with at most atATime calls in parallel. After an error, each starts no
// more calls.
func each(ctx context.Context, atATime, n int, work func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workqueue.ParallelizeUntil(ctx, atATime, n, func(i int) {
		if err := work(ctx, i); err != nil {
			cancel(err)
		}
	})
	return context.Cause(ctx)
}
