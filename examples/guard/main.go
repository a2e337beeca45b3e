// Command guard writes the manifests that keep each node's daemon to its own
// MachineConfigNode, or those that give the operator's controllers their rights:
//
//	go run ./examples/guard | kubectl apply -f -
//	go run ./examples/guard --operator | kubectl apply -f -
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

// manifests is what can be written: a scope.Guard, or a scope.Operator.
type manifests interface {
	WriteManifests(io.Writer) error
}

// run is main without the process: it returns the exit code, and an error is one line.
func run(args []string, stdout, stderr io.Writer) int {
	what, flags, err := parse(args, stderr)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintf(stdout, "Usage: guard [flags] | kubectl apply -f -\n\n%s", flags.FlagUsages())
		return success
	case err != nil:
		fmt.Fprintf(stderr, "guard: %v; see --help\n", err)
		return usage
	}

	err = what.WriteManifests(stdout)
	var guard *scope.GuardError
	var operator *scope.OperatorError
	switch {
	case errors.As(err, &guard), errors.As(err, &operator):
		fmt.Fprintln(stderr, "guard:", err)
		return usage
	case err != nil:
		fmt.Fprintln(stderr, "guard:", err)
		return failure
	}
	return success
}

// parse reads the flags. A name that is not given is the default of what is written.
func parse(args []string, stderr io.Writer) (manifests, *pflag.FlagSet, error) {
	var guard scope.Guard
	var operator bool
	flags := pflag.NewFlagSet("guard", pflag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {}
	flags.StringVar(&guard.Namespace, "namespace", scope.DefaultGuardNamespace, "the namespace of the service account")
	flags.StringVar(&guard.ServiceAccount, "service-account", "", named("the service account", scope.DefaultGuardServiceAccount, scope.DefaultOperatorServiceAccount))
	flags.StringVar(&guard.Name, "name", "", named("the name of the policy and the role", scope.DefaultGuardName, scope.DefaultOperatorName))
	flags.BoolVar(&guard.EnforceTransitions, "enforce-transitions", false, "also deny a status that a node cannot have come to")
	flags.BoolVar(&operator, "operator", false, "write the roles of the operator's controllers instead")

	err := flags.Parse(args)
	switch {
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil && operator && guard.EnforceTransitions:
		err = errors.New("--enforce-transitions is for the daemon's service account: leave it out with --operator")
	}
	if operator {
		return scope.Operator{Name: guard.Name, Namespace: guard.Namespace, ServiceAccount: guard.ServiceAccount}, flags, err
	}
	return guard, flags, err
}

// named describes a flag whose default depends on --operator.
func named(what, guard, operator string) string {
	return fmt.Sprintf("%s (default %q, with --operator %q)", what, guard, operator)
}
