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
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/command"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
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

// Read runs the rollout to its end. If neither follow nor failNode is set, it stops when half of
// the nodes are done.
func (s *simulation) Read(ctx context.Context, st *source.Store, follow bool) error {
	nodes := newNodes(s.nodes)
	kube := make([]*corev1.Node, len(nodes))
	p := newPool()
	put := func(changed *node, at time.Time) {
		for i, n := range nodes {
			if changed == n || changed == nil {
				kube[i] = kubeNode(n)
				st.Put(kube[i])
				st.Put(n.DeepCopy())
			}
		}
		p = p.DeepCopy()
		p.Status = pool.Status(p, kube, nodes, pool.Options{}, metav1.NewTime(at))
		st.Put(p)
	}
	put(nil, s.start)
	done := 0
	for _, e := range rollout(nodes, s.failNode) {
		at := s.start.Add(e.at)
		if !follow {
			s.at = at
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(float64(at.Sub(s.Now())) / s.speed)):
		}
		e.apply(at)
		put(e.node, at)
		if e.node.Status.ConfigVersion.Current == rendered2 {
			done++
		}
		if !follow && s.failNode == "" && 2*done >= len(nodes) {
			break
		}
	}
	return nil
}
