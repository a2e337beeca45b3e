package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// turn is the number of nodes that one fleet updates before the other fleet continues. The fleets
// take turns, because requests cost more the longer the API server runs.
const turn = 100

// measure makes all measurements, and writes the tables to report.
func measure(
	ctx context.Context, compared int, rows []int, atATime int, report io.Writer, progress func(string, ...any),
) error {
	for _, calls := range [][]call{shortUpdate, rebootUpdate} {
		if compared == 0 {
			break
		}
		progress("comparing the daemons, with %d reports per node", len(calls))
		results, err := compare(ctx, compared, calls)
		if err != nil {
			return fmt.Errorf("cannot compare: %w", err)
		}
		writeComparison(report, len(calls), results)
	}
	var grown []result
	for _, n := range rows {
		progress("%d nodes, %d at a time", n, atATime)
		r, err := grow(ctx, n, atATime)
		if err != nil {
			writeGrowth(report, grown)
			return fmt.Errorf("cannot measure %d nodes: %w", n, err)
		}
		grown = append(grown, r)
	}
	writeGrowth(report, grown)
	return nil
}

// compare updates n nodes with each kind of daemon. The two fleets take turns on one API server
// without controllers.
func compare(ctx context.Context, n int, calls []call) (results []result, err error) {
	c, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	results = []result{{name: "MCO", nodes: n}, {name: "this library", nodes: n}}
	fleets := make([]*fleet, len(results))
	for i, start := range []newDaemon{newTheirs, newOurs} {
		if fleets[i], err = newFleet(c, calls, 50, start); err != nil {
			return nil, err
		}
		if err := fleets[i].create(ctx, i*n, n); err != nil {
			return nil, err
		}
	}
	for from := 0; from < n; from += turn {
		for i := range results {
			i = (i + from/turn) % len(results) // each fleet is first in every second turn
			update := func() error { return fleets[i].update(ctx, from, min(from+turn, n), config(2)) }
			err := results[i].meter(c, fleets[i], nil, update)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", results[i].name, err)
			}
		}
	}
	return results, nil
}

// grow updates n nodes on a new cluster with the two controllers of startControllers.
func grow(ctx context.Context, n, atATime int) (r result, err error) {
	c, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	if err := cluster.InstallPoolCRD(ctx, c.Config()); err != nil {
		return r, err
	}
	f, err := newFleet(c, shortUpdate, atATime, newOurs)
	if err != nil {
		return r, err
	}
	controllers, err := newClient(c.Config())
	if err != nil {
		return r, err
	}
	if err := createPool(ctx, f.admin); err != nil {
		return r, err
	}
	if err := f.create(ctx, 0, n); err != nil {
		return r, err
	}
	stop, err := startControllers(ctx, controllers)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	r = result{name: count(n), nodes: n}
	err = r.meter(c, f, controllers, func() error {
		if err := setTarget(ctx, f.operator, config(2)); err != nil {
			return err
		}
		if err := f.update(ctx, 0, n, config(2)); err != nil {
			return err
		}
		last := time.Now()
		err := waitUpdated(ctx, f.admin, n)
		r.lag = time.Since(last)
		return err
	})
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	r.heap = memory.HeapAlloc
	return r, err
}

// result is the cost of an update of all nodes. It is one row of a table.
type result struct {
	name         string // the first cell of the row
	nodes        int
	daemons, all cost          // the cost of the daemons alone, and of daemons, operator and controllers together
	cpu          time.Duration // the user and system CPU time of the API server
	wall         time.Duration // the duration of the update
	lag          time.Duration // the time from the end of the last node's update to Updated=True of the pool
	heap         uint64        // the heap of this process after the update, with the caches of the controllers
}

// meter calls work, and adds the cost of work to r. controllers is nil if no controllers run.
func (r *result) meter(c *cluster.Cluster, f *fleet, controllers *client, work func() error) error {
	counted := []*client{f.daemons, f.operator}
	if controllers != nil {
		counted = append(counted, controllers)
	}
	used, err := c.APIServerCPU()
	if err != nil {
		return err
	}
	daemons, all, start := sum(f.daemons), sum(counted...), time.Now()
	if err := work(); err != nil {
		return err
	}
	r.wall += time.Since(start)
	cpu, err := c.APIServerCPU()
	r.cpu += cpu - used
	r.daemons = sum(f.daemons).plus(daemons, -1).plus(r.daemons, 1)
	r.all = sum(counted...).plus(all, -1).plus(r.all, 1)
	return err
}
