// Command demo runs kubectl mcn on a simulated rollout. All commands and flags work without a
// cluster.
//
//	go run ./cmd/kubectl-mcn/demo --nodes 20 -w
//	go run ./cmd/kubectl-mcn/demo --nodes 20 --fail-node worker-3 wait
package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/command"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

func main() {
	s := &simulation{start: time.Now(), speed: 60}
	c := command.New()
	c.Source = s
	c.Flags = func(flags *pflag.FlagSet) {
		flags.IntVar(&s.nodes, "nodes", 20, "the number of nodes")
		flags.StringVar(&s.failNode, "fail-node", "", "the `NAME` of a node whose drain fails, for example worker-3")
	}
	os.Exit(c.Main())
}

// simulation is a source.Source that simulates a rollout with a fast clock.
type simulation struct {
	nodes    int
	failNode string
	speed    float64 // simulated seconds per real second
	start    time.Time
	at       time.Time // the simulated time if Read is called without follow; otherwise zero
}

// Origin tells the user that the rollout is simulated.
func (s *simulation) Origin() string { return "a simulated rollout" }

// Now returns the simulated time.
func (s *simulation) Now() time.Time {
	if !s.at.IsZero() {
		return s.at
	}
	return s.start.Add(time.Duration(float64(time.Since(s.start)) * s.speed))
}

// Read runs the rollout to its end. If follow is not set, it shows the middle of the rollout or, with
// failNode, its end.
func (s *simulation) Read(ctx context.Context, st *source.Store, follow bool) error {
	r := newRollout(s.start, s.nodes, s.failNode)
	if !follow {
		s.at = r.end
		if s.failNode == "" {
			s.at = s.start.Add(r.end.Sub(s.start) / 2)
		}
	}
	for {
		now := s.Now()
		for _, object := range r.objects(now) {
			st.Put(object)
		}
		if !follow || !now.Before(r.end) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
