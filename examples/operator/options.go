package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/simulation"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

const help = `operator keeps a MachineConfigNode for each Node and the status of each
MachineConfigPool.

With --kubeconfig it runs on that cluster until Ctrl-C, and prints the pools as
oc get machineconfigpools --watch does. Warning: use a test cluster, or stop the
machine-config-operator of the cluster, which writes the same objects.

With --simulate it updates a cluster in memory, pool by pool, and shows the rollout.
Then a step of the operator fails and recovers: the health of the components is shown
before, meanwhile and after. The exit code is 0, or 1 if --fail-node blocks the rollout.

Usage:
  operator --kubeconfig file
  operator --simulate nodes [flags]

Flags:
%s`

// options are the values of the flags.
type options struct {
	kubeconfig string
	simulation simulation.Options // without a kubeconfig
	wide       bool               // in a simulation
	failStep   components.State   // in a simulation
	verbosity  int

	// With a kubeconfig.
	leaderElect    bool
	leaseNamespace string
	leaseDuration  time.Duration
	qps            float32
	burst          int
	components     bool
	bootImages     bool
}

// The defaults of a simulated cluster: an update of a node takes some seven minutes there, and
// two seconds here.
const (
	defaultStep   = 80 * time.Second
	defaultJitter = 0.6
	defaultSpeed  = 240

	defaultFailStep = components.OperatorSyncMCD
)

// minLeaseDuration leaves time for a few requests between two renewals.
const minLeaseDuration = time.Second

// The groups of flags that need another one.
var (
	clusterFlags    = []string{"leader-elect", "leader-elect-resource-namespace", "leader-elect-lease-duration", "qps", "burst", "components", "boot-images"}
	simulationFlags = []string{"fail-node", "step", "speed", "output", "fail-step"}
)

// parse parses the flags. If they ask for help, it prints it and returns pflag.ErrHelp.
func parse(args []string, out io.Writer) (options, error) {
	o := options{simulation: simulation.Options{Jitter: defaultJitter}}
	var output string
	flags := program.NewFlags("operator", out, func(flags string) string { return fmt.Sprintf(help, flags) })
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "run on the cluster of this kubeconfig `file`")
	flags.IntVar(&o.simulation.Nodes, "simulate", 0, "update a cluster of this many `nodes` in memory")
	flags.StringVarP(&output, "output", "o", "", "with --simulate, `format` of the output: wide is the table of oc get machineconfigpools")
	flags.StringVar(&o.simulation.FailNode, "fail-node", "", "with --simulate, `name` of a node whose update fails, for example worker-0")
	flags.StringVar((*string)(&o.failStep), "fail-step", string(defaultFailStep), "with --simulate, `state` of the operator whose step fails and recovers after the update")
	flags.DurationVar(&o.simulation.Step, "step", defaultStep, "with --simulate, average duration of a step of a node's update")
	flags.Float64Var(&o.simulation.Speed, "speed", defaultSpeed, "with --simulate, how many seconds of the cluster pass in a second")
	flags.BoolVar(&o.leaderElect, "leader-elect", true, "with --kubeconfig, run the controllers only while this process holds a Lease")
	flags.StringVar(&o.leaseNamespace, "leader-elect-resource-namespace", metav1.NamespaceSystem, "`namespace` of the Lease")
	flags.DurationVar(&o.leaseDuration, "leader-elect-lease-duration", 15*time.Second, "how long other replicas wait for a leader that does not renew the Lease")
	flags.Float32Var(&o.qps, "qps", 200, "limit of requests a second; client-go's 5 would take minutes for hundreds of nodes")
	flags.IntVar(&o.burst, "burst", 400, "limit of requests at once")
	flags.BoolVar(&o.components, "components", false, "also report on the components, on MachineConfiguration cluster")
	flags.BoolVar(&o.bootImages, "boot-images", true, "with --components, wait for the conditions of the controller of boot images; use false on a cluster without it")
	flags.IntVarP(&o.verbosity, "v", "v", 0, "verbosity of the log")
	if err := program.Parse(flags, args); err != nil {
		return o, err
	}

	o.wide = output == "wide"
	simulate := flags.Changed("simulate")
	switch {
	case flags.Changed("kubeconfig") && o.kubeconfig == "":
		return o, errors.New("--kubeconfig is empty: name a file, or use --simulate to run in memory")
	case o.kubeconfig == "" && !simulate:
		return o, errors.New("name a cluster with --kubeconfig, or use --simulate 20 to run in memory")
	case o.kubeconfig != "" && simulate:
		return o, errors.New("--kubeconfig and --simulate exclude each other")
	case o.kubeconfig != "" && changed(flags, simulationFlags) != "":
		return o, fmt.Errorf("--%s needs --simulate", changed(flags, simulationFlags))
	case simulate && changed(flags, clusterFlags) != "":
		return o, fmt.Errorf("--%s needs --kubeconfig", changed(flags, clusterFlags))
	case flags.Changed("boot-images") && !o.components:
		return o, errors.New("--boot-images needs --components")
	case o.leaseNamespace == "":
		return o, errors.New("--leader-elect-resource-namespace is empty")
	case o.leaseDuration < minLeaseDuration:
		return o, fmt.Errorf("--leader-elect-lease-duration %s: use at least %s", o.leaseDuration, minLeaseDuration)
	case o.qps <= 0 || o.burst <= 0:
		return o, fmt.Errorf("--qps %g --burst %d: use positive limits", o.qps, o.burst)
	case output != "" && output != "wide":
		return o, fmt.Errorf("--output %q: use wide, or omit it", output)
	case flags.Changed("fail-node") && o.simulation.FailNode == "":
		return o, errors.New("--fail-node is empty: name a node")
	case !slices.Contains(simulation.OperatorSteps(), o.failStep):
		return o, fmt.Errorf("--fail-step %.64q: the steps are %s", o.failStep, joined(simulation.OperatorSteps()))
	case simulate:
		return o, o.simulation.Validate()
	}
	return o, nil
}

// joined returns states in a sentence.
func joined(states []components.State) string {
	var names []string
	for _, s := range states {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// changed returns the first of these flags that the command line sets, "" for none.
func changed(flags *pflag.FlagSet, names []string) string {
	if i := slices.IndexFunc(names, flags.Changed); i >= 0 {
		return names[i]
	}
	return ""
}
