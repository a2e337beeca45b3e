package main

import (
	"context"
	"errors"
	"fmt"

	operatorv1client "github.com/openshift/client-go/operator/clientset/versioned/typed/operator/v1"

	"github.com/openshift/upgrademonitor/examples/internal/componentview"
)

const componentsHelp = `kubectl mcn components shows what the operator, the controller and the daemons are doing, how
healthy they are and since when, and their most recent error. They report it on
MachineConfiguration cluster; it is Unknown where they do not.

Usage:
  kubectl mcn components [-o wide] [flags]
`

func runComponents(ctx context.Context, p cli, args []string) error {
	var from clusterFlags
	var format string
	flags := newFlags("mcn components", componentsHelp, p.Out)
	flags.StringVarP(&format, "output", "o", "", "`format`: wide (a line for each step of a component, nothing cut)")
	from.bind(flags)
	if err := parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usage("unexpected argument %q; see kubectl mcn components --help", flags.Arg(0))
	}
	if err := output(format, formatWide); err != nil {
		return err
	}
	config, err := from.restConfig()
	if err != nil {
		return err
	}
	client, err := operatorv1client.NewForConfig(config)
	if err != nil {
		return usage("cannot use the kubeconfig: %w", err)
	}
	options := componentview.Options{Wide: format == formatWide}
	if !options.Wide {
		options.Width, _ = p.terminal.Size()
	}
	bounded, cancel := context.WithTimeoutCause(ctx, p.patience, fmt.Errorf("no answer within %s", p.patience))
	defer cancel()
	err = componentview.Show(bounded, client.MachineConfigurations(), p.Out, p.clock.Now(), options)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		err = errors.Join(context.Cause(bounded), err)
	}
	var unread *componentview.ReadError
	if errors.As(err, &unread) {
		return usage("%w", err)
	}
	return err
}
