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

// turn is the number of nodes that a client updates before the other client's turn. Requests cost
// more the longer the server runs, so the clients alternate.
const turn = 100

// measure makes the measurements in sequence, and writes the tables.
func measure(ctx context.Context, compared int, rows []int, atATime int, report io.Writer, progress func(string, ...any)) error {
	for _, calls := range [][]call{shortUpdate, rebootUpdate} {
		if compared == 0 {
			break
		}
		progress("comparison of %d reports", len(calls))
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

// compare updates n nodes with each client, in turns, on one server without controllers.
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
			i = (i + from/turn) % len(results) // so that the order makes no difference
			err := results[i].meter(c, fleets[i], nil, func() error { return fleets[i].update(ctx, from, min(from+turn, n), config(2)) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", results[i].name, err)
			}
		}
	}
	return results, nil
}

// grow updates n nodes on a new cluster, with both controllers.
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
