package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/examples/internal/program"
)

const help = `operator keeps a MachineConfigNode for each Node and the status of each
MachineConfigPool.

With --kubeconfig it runs on that cluster until Ctrl-C, and prints the pools as
oc get machineconfigpools --watch does. Warning: use a test cluster, or stop the
machine-config-operator of the cluster, which writes the same objects.

Usage:
  operator --kubeconfig file [flags]

Flags:
%s`

// options are the values of the flags.
type options struct {
	kubeconfig string
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

// minLeaseDuration leaves time for a few requests between two renewals.
const minLeaseDuration = time.Second

// parse parses the flags. If they ask for help, it prints it and returns pflag.ErrHelp.
func parse(args []string, out io.Writer) (options, error) {
	var o options
	flags := program.NewFlags("operator", out, func(flags string) string { return fmt.Sprintf(help, flags) })
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "run on the cluster of this kubeconfig `file`")
	flags.BoolVar(&o.leaderElect, "leader-elect", true, "run the controllers only while this process holds a Lease")
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

	switch {
	case o.kubeconfig == "":
		return o, errors.New("name a cluster with --kubeconfig")
	case flags.Changed("boot-images") && !o.components:
		return o, errors.New("--boot-images needs --components")
	case o.leaseNamespace == "":
		return o, errors.New("--leader-elect-resource-namespace is empty")
	case o.leaseDuration < minLeaseDuration:
		return o, fmt.Errorf("--leader-elect-lease-duration %s: use at least %s", o.leaseDuration, minLeaseDuration)
	case o.qps <= 0 || o.burst <= 0:
		return o, fmt.Errorf("--qps %g --burst %d: use positive limits", o.qps, o.burst)
	}
	return o, nil
}
