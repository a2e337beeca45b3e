package main

import (
	"context"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// simulation is a source whose objects change as those of a rollout do, on a fast clock.
type simulation struct {
	nodes    int
	failNode string
	speed    float64 // how many seconds pass in a real second
	start    time.Time
	at       time.Time // of a single view; zero: the time on the clock
}

// Origin says that there is no cluster.
func (s *simulation) Origin() string { return "a simulated rollout" }

// Now returns the time on the fast clock.
func (s *simulation) Now() time.Time {
	if !s.at.IsZero() {
		return s.at
	}
	return s.start.Add(time.Duration(float64(time.Since(s.start)) * s.speed))
}

// Read runs the rollout to its end, or for a single view until half of the nodes are done or a node has failed.
func (s *simulation) Read(ctx context.Context, st *source.Store, follow bool) error {
	nodes, names := nodesOf(s.nodes)
	switch {
	case s.nodes < 1:
		return source.Usagef("--nodes %d: use 1 or more", s.nodes)
	case s.failNode != "" && names[s.failNode] == nil:
		return source.Usagef("--fail-node %q: the nodes are worker-0 to %s", s.failNode, nodes[len(nodes)-1].Name)
	}
	st.Put(workers())
	for _, n := range nodes {
		st.Put(n.DeepCopy())
	}
	done := 0
	for _, e := range rollout(nodes, s.failNode) {
		at := s.start.Add(e.at)
		if !follow {
			s.at = at
		} else if !s.sleepUntil(ctx, at) {
			return ctx.Err()
		}
		n := names[e.node]
		e.apply(n, at)
		st.Put(n.DeepCopy())
		if n.Status.ConfigVersion.Current == n.Spec.ConfigVersion.Desired {
			done++
		}
		if !follow && s.failNode == "" && 2*done >= len(nodes) {
			break
		}
	}
	return nil
}

// sleepUntil waits for a time on the clock, and reports whether it has come before ctx ended.
func (s *simulation) sleepUntil(ctx context.Context, at time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(float64(at.Sub(s.Now())) / s.speed)):
		return true
	}
}
