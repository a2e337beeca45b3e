package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// growth is one row of the table of the cost by the number of nodes, with all parties.
type growth struct {
	nodes   int
	atATime int
}

// run starts a cluster of its own, so that no row depends on the memory of another's server.
func (e growth) run(ctx context.Context, logf func(string, ...any)) (r result, err error) {
	c, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	s, err := e.newStage(c, func(what string) { logf("%d nodes: %s", e.nodes, what) })
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.prepare(ctx); err != nil {
		return r, err
	}
	if r, err = s.measure(ctx); err != nil {
		return r, err
	}
	r.Restart, err = s.restart(ctx)
	return r, err
}

// measure updates all nodes and waits for their pool.
func (s *stage) measure(ctx context.Context) (r result, err error) {
	s.log(fmt.Sprintf("updating them, %d at a time", s.fleet.atATime))
	m := &meter{cluster: s.cluster, parties: s.parties}
	var lag time.Duration
	err = m.measure(func() error {
		if err := s.pool.target(ctx, s.fleet.patches, config(2)); err != nil {
			return err
		}
		watching := s.pool.watchUpdated(ctx)
		last, err := s.fleet.update(ctx, s.fleet.nodes, config(2))
		if err != nil {
			return err
		}
		updated, err := receive(watching)
		lag = updated.Sub(last)
		return err
	})
	if err != nil {
		return r, err
	}
	state, err := s.operator.waitIdle(ctx)
	return result{
		Client: clientOurs, Calls: len(s.fleet.calls), Nodes: len(s.fleet.nodes), AtATime: s.fleet.atATime,
		Parties: m.spent, CPU: m.cpu, Wall: m.wall, Lag: lag, Memory: state.Memory,
	}, err
}
