package main

import (
	"time"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// meter adds up the costs of pieces of work.
type meter struct {
	cluster *cluster.Cluster
	parties func() ([]partyTally, error) // always the same, in the same order

	spent []partyTally
	cpu   time.Duration // of the API server, user and system
	wall  time.Duration
}

// measure does a piece of work and adds its cost.
func (m *meter) measure(work func() error) error {
	before, err := m.parties()
	if err != nil {
		return err
	}
	cpu, err := m.cluster.APIServerCPU()
	if err != nil {
		return err
	}
	start := time.Now()
	if err := work(); err != nil {
		return err
	}
	wall := time.Since(start)
	used, err := m.cluster.APIServerCPU()
	if err != nil {
		return err
	}
	after, err := m.parties()
	if err != nil {
		return err
	}
	m.cpu += used - cpu
	m.wall += wall
	if m.spent == nil {
		m.spent = make([]partyTally, len(after))
	}
	for i, p := range after {
		m.spent[i] = partyTally{p.Name, m.spent[i].plus(p.since(before[i].tally))}
	}
	return nil
}
