package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// turn is how many nodes a client updates before another one's turn: requests cost more as the
// server ages, and each client is to meet it at every age.
const turn = 100

// comparison updates the same number of nodes by each client, in turns, on one server.
type comparison struct {
	nodes   int
	atATime int
	clients []string
	calls   []call
}

// contender is a client in a comparison, with nodes of its own.
type contender struct {
	client string
	fleet  *fleet
	meter  *meter
}

func (e comparison) run(ctx context.Context, logf func(string, ...any)) (results []result, err error) {
	c, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	var contenders []*contender
	for i, client := range e.clients {
		logf("comparison of %d reports: creating %d nodes for %s", len(e.calls), e.nodes, client)
		contender, err := e.newContender(ctx, c, client, i*e.nodes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", client, err)
		}
		defer contender.fleet.daemons.close()
		contenders = append(contenders, contender)
	}
	for from := 0; from < e.nodes; from += turn {
		to := min(from+turn, e.nodes)
		for _, contender := range contenders {
			logf("comparison of %d reports: updating nodes %d to %d by %s", len(e.calls), from+1, to, contender.client)
			if err := contender.update(ctx, from, to); err != nil {
				return nil, fmt.Errorf("%s: %w", contender.client, err)
			}
		}
		slices.Reverse(contenders) // the order must not matter either
	}
	for _, client := range e.clients {
		i := slices.IndexFunc(contenders, func(c *contender) bool { return c.client == client })
		m := contenders[i].meter
		results = append(results, result{
			Client: client, Calls: len(e.calls), Nodes: e.nodes, AtATime: e.atATime,
			Parties: m.spent, CPU: m.cpu, Wall: m.wall,
		})
	}
	return results, nil
}

// newContender creates the nodes of a client, from a number on, and warms up.
func (e comparison) newContender(ctx context.Context, c *cluster.Cluster, client string, first int) (*contender, error) {
	admin, err := newParty("admin", c.Config())
	if err != nil {
		return nil, err
	}
	defer admin.close()
	daemons, err := newParty(daemonsParty, c.Config())
	if err != nil {
		return nil, err
	}
	f := &fleet{nodes: newWorkerNodes(first, e.nodes), daemons: daemons, newDaemon: daemonsBy[client], calls: e.calls, atATime: e.atATime}
	for _, create := range []func(context.Context, *party) error{f.createNodes, f.createObjects, f.reportUpdated} {
		if err := create(ctx, admin); err != nil {
			return nil, err
		}
	}
	if _, err := f.update(ctx, f.warm(), config(1)); err != nil {
		return nil, err
	}
	m := &meter{cluster: c, parties: func() ([]partyTally, error) {
		return []partyTally{{daemonsParty, daemons.tally()}}, nil
	}}
	return &contender{client: client, fleet: f, meter: m}, nil
}

func (c *contender) update(ctx context.Context, from, to int) error {
	return c.meter.measure(func() error {
		_, err := c.fleet.update(ctx, c.fleet.nodes[from:to], config(2))
		return err
	})
}
