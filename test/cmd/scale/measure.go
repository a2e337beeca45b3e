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

// measure makes all measurements, and writes the table to report.
func measure(ctx context.Context, rows []int, atATime int, report io.Writer, progress func(string, ...any)) error {
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
	f, err := newFleet(c, atATime)
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
	if err := f.create(ctx, n); err != nil {
		return r, err
	}
	stop, err := startControllers(ctx, controllers)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	r = result{nodes: n}
	err = r.meter(c, f, controllers, func() error {
		if err := setTarget(ctx, f.operator, config(2)); err != nil {
			return err
		}
		if err := f.update(ctx, n, config(2)); err != nil {
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
	nodes        int
	daemons, all cost          // the cost of the daemons alone, and of daemons, operator and controllers together
	cpu          time.Duration // the user and system CPU time of the API server
	wall         time.Duration // the duration of the update
	lag          time.Duration // the time from the end of the last node's update to Updated=True of the pool
	heap         uint64        // the heap of this process after the update, with the caches of the controllers
}

// meter calls work, and sets the cost of work.
func (r *result) meter(c *cluster.Cluster, f *fleet, controllers *client, work func() error) error {
	counted := []*client{f.daemons, f.operator, controllers}
	used, err := c.APIServerCPU()
	if err != nil {
		return err
	}
	daemons, all, start := sum(f.daemons), sum(counted...), time.Now()
	if err := work(); err != nil {
		return err
	}
	r.wall = time.Since(start)
	cpu, err := c.APIServerCPU()
	r.cpu = cpu - used
	r.daemons = sum(f.daemons)
	r.daemons.add(daemons, -1)
	r.all = sum(counted...)
	r.all.add(all, -1)
	return err
}
