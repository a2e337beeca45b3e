// Command demo is kubectl mcn on a simulated rollout: all its commands and flags, without a cluster.
//
//	go run ./cmd/kubectl-mcn/demo --nodes 20 -w
//	go run ./cmd/kubectl-mcn/demo --nodes 20 --fail-node worker-3 wait
package main

import (
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/command"
)

func main() {
	s := &simulation{start: time.Now(), speed: 60}
	c := command.New()
	c.Source = s
	c.Flags = func(flags *pflag.FlagSet) {
		flags.IntVar(&s.nodes, "nodes", 20, "how many nodes are updated")
		flags.StringVar(&s.failNode, "fail-node", "", "the `NAME` of a node whose drain fails, worker-3 for example")
	}
	os.Exit(c.Main())
}
