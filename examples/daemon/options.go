package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/validation"

	"github.com/openshift/upgrademonitor/phases"
)

// What ends the names of the rendered configs by default.
const (
	fromHash = "6c320f722eb9ce8bfbd80750dbf70d2e"
	toHash   = "ceedbbb3b533372a501c2410fa554c89"
)

const help = `daemon reports an update of a node on its MachineConfigNode, step by step, and prints
what oc get and oc describe would show. The work of the update is pretended.

Without --kubeconfig it runs in memory. With it, point it at a test cluster: it never
changes the Node, but it writes over what the node's MachineConfigNode says.

Usage:
  daemon [flags]

Flags:
%s
Phases that can fail:
  %s
Phases that can fail with --rebootless:
  %s
`

// options are what the flags say.
type options struct {
	kubeconfig string
	node, pool string
	from, to   string
	rebootless bool
	failAt     phases.Phase
	stepDelay  time.Duration
}

// parse reads the flags. It prints help where it is asked for; the error is then
// pflag.ErrHelp.
func parse(args []string, stdout io.Writer) (options, error) {
	var o options
	var failAt string
	flags := pflag.NewFlagSet("daemon", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() {
		_, _ = fmt.Fprintf(stdout, help, flags.FlagUsages(), names(failable(false)), names(failable(true)))
	}
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "run on the cluster of this kubeconfig `file`")
	flags.StringVar(&o.node, "node", "worker-0", "`name` of the node")
	flags.StringVar(&o.pool, "pool", "worker", "`name` of the node's MachineConfigPool")
	flags.StringVar(&o.from, "from", "", "`name` of the config that the node has (default rendered-<pool>-"+fromHash+")")
	flags.StringVar(&o.to, "to", "", "`name` of the config that it shall have (default rendered-<pool>-"+toHash+")")
	flags.BoolVar(&o.rebootless, "rebootless", false, "an update that needs neither a drain nor a reboot")
	flags.StringVar(&failAt, "fail-at", "", "let the work of this `phase` fail, see below")
	flags.DurationVar(&o.stepDelay, "step-delay", 0, "how long the work of each phase takes, 1s, say")
	if err := flags.Parse(args); err != nil {
		return o, err
	}

	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: there are only flags", flags.Arg(0))
	}
	if flags.Changed("kubeconfig") && o.kubeconfig == "" {
		return o, errors.New("--kubeconfig is empty: name a file, or leave it out to run in memory")
	}
	if o.stepDelay < 0 {
		return o, fmt.Errorf("--step-delay %s is negative", o.stepDelay)
	}
	if !flags.Changed("from") {
		o.from = "rendered-" + o.pool + "-" + fromHash
	}
	if !flags.Changed("to") {
		o.to = "rendered-" + o.pool + "-" + toHash
	}
	if err := o.checkNames(); err != nil {
		return o, err
	}
	if !flags.Changed("fail-at") {
		return o, nil
	}
	return o, o.setFailAt(failAt)
}

func (o *options) checkNames() error {
	for _, n := range []struct{ flag, name string }{{"node", o.node}, {"pool", o.pool}, {"from", o.from}, {"to", o.to}} {
		if len(validation.NameIsDNSSubdomain(n.name, false)) > 0 {
			return fmt.Errorf("--%s %q is no name: use at most 253 of a-z, 0-9, '-' and '.', with a letter or digit at both ends", n.flag, n.name)
		}
	}
	if o.from == o.to {
		return fmt.Errorf("--from and --to are both %s: there is nothing to update", o.from)
	}
	return nil
}

func (o *options) setFailAt(name string) error {
	for _, p := range failable(o.rebootless) {
		if strings.EqualFold(name, string(p)) {
			o.failAt = p
			return nil
		}
	}
	kind := "a standard update"
	if o.rebootless {
		kind = "a rebootless update"
	}
	return fmt.Errorf("--fail-at %q: in %s these can fail: %s", name, kind, names(failable(o.rebootless)))
}

// failable returns the phases that have work to do, in the order in which it is done.
func failable(rebootless bool) []phases.Phase {
	if rebootless {
		return []phases.Phase{phases.UpdatePrepared, phases.AppliedFilesAndOS, phases.UpdatePostActionComplete, phases.Resumed, phases.Uncordoned}
	}
	return []phases.Phase{phases.UpdatePrepared, phases.Cordoned, phases.Drained, phases.AppliedFilesAndOS, phases.RebootedNode, phases.Resumed, phases.Uncordoned}
}

func names(ps []phases.Phase) string {
	words := make([]string, len(ps))
	for i, p := range ps {
		words[i] = string(p)
	}
	return strings.Join(words, ", ")
}
