// Command guard prints the manifests that restrict each daemon to the MachineConfigNode of its own
// node. The flags set the names in the manifests. scope/manifests/guard.yaml has the manifests with
// the default names.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/openshift/upgrademonitor/scope/guard"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	var g guard.Guard
	flags := flag.NewFlagSet("guard", flag.ContinueOnError)
	flags.StringVar(&g.Name, "name", guard.DefaultName, "name of the role and the policy")
	flags.StringVar(&g.Namespace, "namespace", guard.DefaultNamespace, "namespace of the daemon's service account")
	flags.StringVar(&g.ServiceAccount, "service-account", guard.DefaultServiceAccount, "service account of the daemon")
	flags.BoolVar(&g.EnforceTransitions, "enforce-transitions", false,
		"also deny invalid transitions (requires that all daemons use this library)")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	return g.WriteManifests(out)
}
