package main

import (
	"context"
	"time"

	"github.com/openshift/upgrademonitor/examples/internal/simulation"
)

// catchUp waits until a store has all objects.
func (s *simulated) catchUp(ctx context.Context, st *store, state simulation.State) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	for !st.has(state) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// has reports whether the store has the nodes as they are in a state.
func (s *store) has(state simulation.State) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, mcn := range state.MachineConfigNodes {
		if n, ok := s.nodes[name]; !ok || n.ResourceVersion != mcn.ResourceVersion {
			return false
		}
	}
	return true
}
