// Command guard writes the manifests that restrict each node's daemon to its own
// MachineConfigNode, those that grant the operator's controllers their permissions, or those
// that the reports on components need:
//
//	go run ./examples/guard | kubectl apply -f -
//	go run ./examples/guard --operator | kubectl apply -f -
//	go run ./examples/guard --components | kubectl apply -f -
package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/scope"
)

func main() { program.Main("guard", run) }

// manifests is a scope.Guard, a scope.Operator or a scope.Components.
type manifests interface {
	WriteManifests(io.Writer) error
}

func run(_ context.Context, args []string, streams program.Streams) error {
	selected, err := parse(args, streams.Out)
	if err != nil {
		return program.Usage(err)
	}
	err = selected.WriteManifests(streams.Out)
	var invalid *field.Error
	if errors.As(err, &invalid) {
		return program.Usage(err)
	}
	return err
}

// parse parses the flags. A name without a flag is the default of the manifests.
func parse(args []string, out io.Writer) (manifests, error) {
	var guard scope.Guard
	var components scope.Components
	var operator, forComponents bool
	flags := program.NewFlags("guard", out, func(flags string) string {
		return "Usage: guard [flags] | kubectl apply -f -\n\nFlags:\n" + flags
	})
	flags.StringVar(&guard.Namespace, "namespace", scope.DefaultGuardNamespace, "the namespace of the service account")
	flags.StringVar(&guard.ServiceAccount, "service-account", "", withDefaults("the service account", scope.DefaultGuardServiceAccount, scope.DefaultOperatorServiceAccount, scope.DefaultComponentsOperatorServiceAccount))
	flags.StringVar(&components.ControllerServiceAccount, "controller-service-account", "", fmt.Sprintf("with --components: the service account of the controller (default %q)", scope.DefaultComponentsControllerServiceAccount))
	flags.StringVar(&guard.Name, "name", "", withDefaults("the name of the policy and the role", scope.DefaultGuardName, scope.DefaultOperatorName, scope.DefaultComponentsName))
	flags.BoolVar(&guard.EnforceTransitions, "enforce-transitions", false, "also deny invalid transitions of the status")
	flags.BoolVar(&operator, "operator", false, "write the roles of the operator's controllers instead")
	flags.BoolVar(&forComponents, "components", false, "write the roles for reports on components instead")
	flags.BoolVar(&components.EnforceWriters, "enforce-writers", false, "with --components: also deny writes of another component's conditions")
	if err := program.Parse(flags, args); err != nil {
		return nil, err
	}
	switch {
	case operator && forComponents:
		return nil, errors.New("--operator and --components: pass one of them")
	case (operator || forComponents) && guard.EnforceTransitions:
		return nil, errors.New("--enforce-transitions is for the daemon's service account: omit it with --operator and --components")
	case !forComponents && (components.EnforceWriters || components.ControllerServiceAccount != ""):
		return nil, errors.New("--enforce-writers and --controller-service-account are for --components")
	case operator:
		return scope.Operator{Name: guard.Name, Namespace: guard.Namespace, ServiceAccount: guard.ServiceAccount}, nil
	case forComponents:
		components.Name, components.Namespace, components.OperatorServiceAccount = guard.Name, guard.Namespace, guard.ServiceAccount
		return components, nil
	}
	return guard, nil
}

// withDefaults describes a flag whose default depends on --operator and --components.
func withDefaults(usage, guard, operator, components string) string {
	return fmt.Sprintf("%s (default %q, with --operator %q, with --components %q)", usage, guard, operator, components)
}
