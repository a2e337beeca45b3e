package main

import (
	"context"
	"errors"
	"time"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// growth is one row of the table of how the cost grows with the number of nodes: all parties
// take part.
type growth struct {
	nodes   int
	atATime int
}

// run starts a cluster of its own, so that no row sees what another has left in the server's memory.
func (e growth) run(ctx context.Context, say func(string, ...any)) (r result, err error) {
	c, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	if err := cluster.InstallPoolCRD(ctx, c.Config()); err != nil {
		return r, err
	}
	named := map[string]*party{}
	for _, name := range []string{"admin", daemonsParty, nodesParty} {
		if named[name], err = newParty(name, c.Config()); err != nil {
			return r, err
		}
		defer named[name].close()
	}
	admin := named["admin"]
	p := &machinePool{admin: admin, nodes: e.nodes}
	if err := p.create(ctx, config(1)); err != nil {
		return r, err
	}
	f := &fleet{
		nodes: newWorkerNodes(0, e.nodes), atATime: e.atATime,
		daemons: named[daemonsParty], newDaemon: newOurs, calls: shortUpdate, patches: named[nodesParty],
	}
	say("%d nodes: creating the Nodes", e.nodes)
	if err := f.createNodes(ctx, admin); err != nil {
		return r, err
	}
	operator, err := startControllers(ctx, c.Kubeconfig())
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, operator.stop()) }()
	say("%d nodes: waiting for their MachineConfigNodes", e.nodes)
	if err := f.waitForObjects(ctx, admin); err != nil {
		return r, err
	}
	if err := f.settle(ctx, admin); err != nil {
		return r, err
	}
	say("%d nodes: warming up", e.nodes)
	if _, err := f.update(ctx, f.warm(), config(1)); err != nil {
		return r, err
	}
	if _, err := soon(p.watchUpdated(ctx)); err != nil {
		return r, err
	}

	m := &meter{cluster: c, parties: func() ([]partyTally, error) {
		state, err := operator.state()
		own := []partyTally{{daemonsParty, f.daemons.tally()}, {nodesParty, f.patches.tally()}}
		return append(own, state.Parties...), err
	}}
	say("%d nodes: updating them, %d at a time", e.nodes, e.atATime)
	var lag time.Duration
	err = m.measure(func() error {
		if err := p.target(ctx, f.patches, config(2)); err != nil {
			return err
		}
		watching := p.watchUpdated(ctx)
		last, err := f.update(ctx, f.nodes, config(2))
		if err != nil {
			return err
		}
		updated, err := soon(watching)
		lag = updated.Sub(last)
		return err
	})
	if err != nil {
		return r, err
	}
	state, err := operator.atRest(ctx)
	if err := errors.Join(err, operator.stop()); err != nil {
		return r, err
	}
	say("%d nodes: restarting the controllers", e.nodes)
	again, err := measureRestart(ctx, c.Kubeconfig())
	return result{
		Client: clientOurs, Calls: len(f.calls), Nodes: e.nodes, AtATime: e.atATime, Parties: m.spent,
		CPU: m.cpu, Wall: m.wall, Lag: lag, Memory: state.Memory, Restart: again,
	}, err
}
