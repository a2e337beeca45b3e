package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// simulatedInterval is the pace of the pools' rows: a simulated update is faster than one of
// a cluster.
const simulatedInterval = 100 * time.Millisecond

// simulate takes a cluster in memory through an update, with the operator and a daemon on
// each node.
func (p program) simulate(ctx context.Context, opts options) error {
	w, err := newWorld(ctx, opts.nodes)
	if err != nil {
		return err
	}
	return p.play(ctx, opts, w)
}

// play is simulate, on a cluster that is there.
func (p program) play(ctx context.Context, opts options, w *world) error {
	running, fail := context.WithCancelCause(ctx)
	rows := newTable(p.stdout, p.clock, fail)
	stop := w.start(running)
	var group sync.WaitGroup
	defer stop()
	defer group.Wait()
	defer fail(nil)
	serve := func(run func(context.Context) error) {
		group.Go(func() {
			if err := run(running); err != nil {
				fail(err)
			}
		})
	}
	serve(operator{kube: w.kube, client: w.client, pools: rows, interval: simulatedInterval}.run)
	for _, name := range nodeNames(opts.nodes) {
		serve((&daemon{world: w, node: name, step: opts.step, fails: name == opts.failNode}).run)
	}

	if err := w.settle(running, rows); err != nil {
		return err
	}
	rows.begin()
	begun := p.clock.Now()
	failure := w.update(running)
	took := p.clock.Since(begun)
	if err := w.settle(running, rows); err != nil {
		return err
	}
	if failure != nil {
		return failure
	}
	_, err := fmt.Fprintf(p.stdout, "\nAll nodes (%d) updated to rendered-*-2 in %s. Unavailable at a time, at most: %s.\n",
		opts.nodes, took.Round(100*time.Millisecond), w.worst(opts.nodes))
	return err
}

// settle waits until the pools say what their nodes do, and the rows say it too.
func (w *world) settle(ctx context.Context, rows *table) error {
	var settled []*mcfgv1.MachineConfigPool
	err := w.until(ctx, func(now state) (bool, error) {
		settled = now.pools
		for _, p := range now.pools {
			for _, node := range now.nodes[p.Name] {
				if mcn := now.mcns[node.Name]; mcn == nil || len(mcn.Status.Conditions) == 0 {
					return false, nil
				}
			}
			if !equality.Semantic.DeepEqual(p.Status, statusOf(p, now.nodes[p.Name], now)) {
				return false, nil
			}
		}
		return true, nil
	})
	for err == nil && !rows.shows(settled) {
		select {
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-rows.moved:
		}
	}
	return err
}

// worst says how many nodes of each pool were unavailable at a time.
func (w *world) worst(nodes int) string {
	var parts []string
	for _, name := range poolNames {
		if all := sizes(nodes)[name]; all > 0 {
			parts = append(parts, fmt.Sprintf("%s %d of %d", name, w.outages.worst(name), all))
		}
	}
	return strings.Join(parts, ", ")
}
