// Command guard prints the manifests that restrict the daemon of each node to the MachineConfigNode of its node,
// for a Go program that installs them under names of its own. scope/manifests/guard.yaml has the default names.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/openshift/upgrademonitor/scope"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	var guard scope.Guard
	flags := flag.NewFlagSet("guard", flag.ContinueOnError)
	flags.StringVar(&guard.Name, "name", scope.DefaultGuardName, "name of the role and the policy")
	flags.StringVar(&guard.Namespace, "namespace", scope.DefaultGuardNamespace, "namespace of the daemon's service account")
	flags.StringVar(&guard.ServiceAccount, "service-account", scope.DefaultGuardServiceAccount, "service account of the daemon")
	flags.BoolVar(&guard.EnforceTransitions, "enforce-transitions", false, "also deny a status that no node can have, once all daemons use this library")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return guard.WriteManifests(out)
}
