// Command guard writes the manifests that keep each node's daemon to its own
// MachineConfigNode:
//
//	go run ./examples/guard | kubectl apply -f -
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/openshift/upgrademonitor/scope"
)

// The exit codes.
const (
	success = 0
	failure = 1
	usage   = 2
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main without the process: it returns the exit code, and an error is one line.
func run(args []string, stdout, stderr io.Writer) int {
	var guard scope.Guard
	flags := pflag.NewFlagSet("guard", pflag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {}
	flags.StringVar(&guard.Namespace, "namespace", scope.DefaultGuardNamespace, "the namespace of the daemon's service account")
	flags.StringVar(&guard.ServiceAccount, "service-account", scope.DefaultGuardServiceAccount, "the service account that the daemon runs as")
	flags.StringVar(&guard.Name, "name", scope.DefaultGuardName, "the name of the policy and the role")
	flags.BoolVar(&guard.EnforceTransitions, "enforce-transitions", false, "also deny a status that a node cannot have come to")

	err := flags.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintf(stdout, "Usage: guard [flags] | kubectl apply -f -\n\n%s", flags.FlagUsages())
		return success
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(stderr, "guard: %v; see --help\n", err)
		return usage
	}

	err = guard.WriteManifests(stdout)
	var unusable *scope.GuardError
	switch {
	case errors.As(err, &unusable):
		fmt.Fprintln(stderr, "guard:", err)
		return usage
	case err != nil:
		fmt.Fprintln(stderr, "guard:", err)
		return failure
	}
	return success
}
