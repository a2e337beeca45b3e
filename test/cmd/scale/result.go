package main

import (
	"time"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// result is the cost of the update of all nodes.
type result struct {
	name         string // of the row in the table
	nodes        int
	daemons, all cost
	cpu, wall    time.Duration // CPU time of the API server, user and system; duration of the update
	lag          time.Duration // from Updated=True of the last node to Updated=True of the pool
	heap         uint64        // of the process with the caches of the controllers, after the update
}

// meter adds the cost of work. controllers is nil if no controllers run.
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
