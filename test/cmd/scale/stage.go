package main

import (
	"context"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// stage is a cluster with its nodes, their pool and all clients of the API server.
type stage struct {
	cluster  *cluster.Cluster
	log      func(string)
	admin    *party // creates and watches; not counted
	pool     *machinePool
	fleet    *fleet
	operator *operator // nil: not started
}

func (e growth) newStage(c *cluster.Cluster, log func(string)) (*stage, error) {
	admin, err := newParty("admin", c.Config())
	if err != nil {
		return nil, err
	}
	daemons, err := newParty(daemonsParty, c.Config())
	if err != nil {
		return nil, err
	}
	patches, err := newParty(nodesParty, c.Config())
	if err != nil {
		return nil, err
	}
	return &stage{
		cluster: c,
		log:     log,
		admin:   admin,
		pool:    &machinePool{admin: admin, nodes: e.nodes},
		fleet: &fleet{
			nodes: newWorkerNodes(0, e.nodes), atATime: e.atATime,
			daemons: daemons, patches: patches, newDaemon: newOurs, calls: shortUpdate,
		},
	}, nil
}

// prepare creates all objects and waits until the pool is Updated.
func (s *stage) prepare(ctx context.Context) (err error) {
	s.log("creating the Nodes")
	if err := cluster.InstallPoolCRD(ctx, s.cluster.Config()); err != nil {
		return err
	}
	if err := s.pool.create(ctx, config(1)); err != nil {
		return err
	}
	if err := s.fleet.createNodes(ctx, s.admin); err != nil {
		return err
	}
	s.log("waiting for their MachineConfigNodes")
	if s.operator, err = startControllers(ctx, s.cluster.Kubeconfig()); err != nil {
		return err
	}
	if err := s.fleet.waitForObjects(ctx, s.admin); err != nil {
		return err
	}
	if err := s.fleet.reportUpdated(ctx, s.admin); err != nil {
		return err
	}
	s.log("warming up")
	if _, err := s.fleet.update(ctx, s.fleet.warm(), config(1)); err != nil {
		return err
	}
	_, err = receive(s.pool.watchUpdated(ctx))
	return err
}

// parties returns the tallies of all parties that are counted.
func (s *stage) parties() ([]partyTally, error) {
	state, err := s.operator.state()
	own := []partyTally{{daemonsParty, s.fleet.daemons.tally()}, {nodesParty, s.fleet.patches.tally()}}
	return append(own, state.Parties...), err
}

// restart replaces the controllers.
func (s *stage) restart(ctx context.Context) (restart, error) {
	s.log("restarting the controllers")
	if err := s.operator.stop(); err != nil {
		return restart{}, err
	}
	return measureRestart(ctx, s.cluster.Kubeconfig())
}

func (s *stage) close() error {
	var err error
	if s.operator != nil {
		err = s.operator.stop()
	}
	for _, p := range []*party{s.admin, s.fleet.daemons, s.fleet.patches} {
		p.close()
	}
	return err
}
