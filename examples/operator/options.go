package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// maxNodes is how many nodes are simulated at most: the API server in memory takes one
// request at a time.
const maxNodes = 200

const help = `operator keeps a MachineConfigNode for each Node and the status of each
MachineConfigPool, and prints the pools as oc get machineconfigpools --watch would.

With --kubeconfig it runs on that cluster until Ctrl-C. Let it be a test cluster: a
machine-config-operator that runs there writes the same objects.
With --simulate it takes a cluster in memory through an update, pool by pool.

Usage:
  operator --kubeconfig file
  operator --simulate nodes [flags]

Flags:
%s`

// options are what the flags say.
type options struct {
	kubeconfig string
	nodes      int
	step       time.Duration
	failNode   string
}

// parse reads the flags. It prints help where it is asked for; the error is then
// pflag.ErrHelp.
func parse(args []string, stdout io.Writer) (options, error) {
	var o options
	flags := pflag.NewFlagSet("operator", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() { _, _ = fmt.Fprintf(stdout, help, flags.FlagUsages()) }
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "run on the cluster of this kubeconfig `file`")
	flags.IntVar(&o.nodes, "simulate", 0, "update a cluster of so many `nodes` in memory")
	flags.DurationVar(&o.step, "step", 20*time.Millisecond, "how long the work of each phase takes on a simulated node")
	flags.StringVar(&o.failNode, "fail-node", "", "`name` of a simulated node that fails at its update, worker-0, say")
	if err := flags.Parse(args); err != nil {
		return o, err
	}

	simulates := flags.Changed("simulate")
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q: there are only flags", flags.Arg(0))
	case flags.Changed("kubeconfig") && o.kubeconfig == "":
		return o, errors.New("--kubeconfig is empty: name a file, or use --simulate to run in memory")
	case o.kubeconfig == "" && !simulates:
		return o, errors.New("name a cluster with --kubeconfig, or use --simulate 20 to run in memory")
	case o.kubeconfig != "" && simulates:
		return o, errors.New("--kubeconfig and --simulate exclude each other")
	case o.kubeconfig != "" && (flags.Changed("step") || flags.Changed("fail-node")):
		return o, errors.New("--step and --fail-node go with --simulate")
	case simulates && (o.nodes < 1 || o.nodes > maxNodes):
		return o, fmt.Errorf("--simulate %d: use from 1 to %d nodes", o.nodes, maxNodes)
	case o.step < 0:
		return o, fmt.Errorf("--step %s is negative", o.step)
	}
	if names := nodeNames(o.nodes); flags.Changed("fail-node") && !slices.Contains(names, o.failNode) {
		return o, fmt.Errorf("--fail-node %q: the nodes are %s", o.failNode, strings.Join(names, ", "))
	}
	return o, nil
}
