package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// turn is how many nodes a client updates before the other's turn: the server grows slower with
// its memory, and both are to see it at every age.
const turn = 100

// comparison has clients update as many nodes each, in turns, on one server.
type comparison struct {
	nodes   int
	atATime int
	clients []string
	calls   []call
}

func (e comparison) run(ctx context.Context, say func(string, ...any)) (results []result, err error) {
	c, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	admin, err := newParty("admin", c.Config())
	if err != nil {
		return nil, err
	}
	defer admin.close()

	var fleets []*fleet
	var meters []*meter
	for i, client := range e.clients {
		daemons, err := newParty(daemonsParty, c.Config())
		if err != nil {
			return nil, err
		}
		defer daemons.close()
		say("comparison: creating %d nodes for %s", e.nodes, client)
		f := &fleet{nodes: newWorkerNodes(i*e.nodes, e.nodes), daemons: daemons, newDaemon: daemonsBy[client], calls: e.calls, atATime: e.atATime}
		if err := errors.Join(f.createNodes(ctx, admin), f.createObjects(ctx, admin), f.settle(ctx, admin)); err != nil {
			return nil, err
		}
		fleets = append(fleets, f)
		meters = append(meters, &meter{cluster: c, parties: func() ([]partyTally, error) {
			return []partyTally{{daemonsParty, daemons.tally()}}, nil
		}})
	}
	say("comparison: warming up")
	for _, f := range fleets {
		if _, err := f.update(ctx, f.warm(), config(1)); err != nil {
			return nil, err
		}
	}
	order := make([]int, len(fleets))
	for i := range order {
		order[i] = i
	}
	for from := 0; from < e.nodes; from += turn {
		for _, i := range order {
			f, to := fleets[i], min(from+turn, e.nodes)
			say("comparison: updating nodes %d to %d by %s", from+1, to, e.clients[i])
			err := meters[i].measure(func() error {
				_, err := f.update(ctx, f.nodes[from:to], config(2))
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.clients[i], err)
			}
		}
		slices.Reverse(order) // who follows whom must not matter either
	}
	for i, m := range meters {
		results = append(results, result{
			Client: e.clients[i], Calls: len(e.calls), Nodes: e.nodes, AtATime: e.atATime,
			Parties: m.spent, CPU: m.cpu, Wall: m.wall})
	}
	return results, nil
}
