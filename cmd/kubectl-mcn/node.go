package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// oneNode shows everything about one node.
type oneNode struct {
	*cli
	name   string
	from   sourceFlags
	output outputFlag
}

func newNodeCommand(c *cli) *cobra.Command {
	o := &oneNode{cli: c, from: sourceFlags{noHealth: true}}
	cmd := &cobra.Command{
		Use: "node NAME [flags]", Short: "everything about one node",
		Long: "Show everything about one node: its steps, messages, and where to look next.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return source.Usagef("name one node; see kubectl mcn node --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return o.run(cmd.Context())
		},
	}
	o.output.bind(cmd, formatWide)
	o.from.bind(cmd, false)
	cmd.ValidArgsFunction = completeFrom(c, &o.from, nodeNames)
	return cmd
}

func (o *oneNode) run(ctx context.Context) error {
	if err := o.output.check(); err != nil {
		return err
	}
	src, err := o.from.open(ctx, o.cli, true)
	if err != nil {
		return err
	}
	v, blocked := o.load(ctx, src, o.from.store())
	if v.Time.IsZero() && blocked != nil {
		return blocked
	}
	p, n, err := o.find(v)
	switch {
	case err != nil:
		return err
	case !o.output.isText():
		return o.output.print(o.Out, &nodeDocument{typeMeta("NodeRollout"), describe(n)})
	}
	return o.terminal.Print(o.Out, screen.Node(p, n, o.size(v, src, false, o.output.format == formatWide)))
}

func (o *oneNode) find(v source.View) (progress.Pool, progress.Node, error) {
	for _, p := range v.Pools {
		for _, n := range p.Nodes {
			if n.Name == o.name {
				return p, n, nil
			}
		}
	}
	return progress.Pool{}, progress.Node{}, source.Usagef("unknown node %q: no MachineConfigNode has this name", o.name)
}
