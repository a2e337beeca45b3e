package main

import (
	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// oneNode shows everything about one node.
type oneNode struct {
	sourceFlags
	outputFlag
}

func newNodeCommand(c *cli) *cobra.Command {
	o := &oneNode{sourceFlags: sourceFlags{cli: c, noHealth: true}}
	cmd := &cobra.Command{
		Use: "node NAME [flags]", Short: "everything about one node",
		Long: "Show everything about one node: its steps, messages, and where to look next.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return source.Usagef("name one node; see kubectl mcn node --help")
			}
			return nil
		},
		RunE: o.run, ValidArgsFunction: o.complete(true),
	}
	o.outputFlag.bind(cmd, formatWide)
	o.sourceFlags.bind(cmd, false)
	return cmd
}

func (o *oneNode) run(cmd *cobra.Command, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := o.open(cmd, true); err != nil {
		return err
	}
	return o.show(cmd.Context(), func(v source.View) error {
		for _, p := range v.Pools {
			for _, n := range p.Nodes {
				switch {
				case n.Name != args[0]:
				case !o.isText():
					doc := describe(n)
					return o.printDocument(o.Out, &document{TypeMeta: typeMeta("NodeRollout"), documentNode: &doc})
				default:
					return o.terminal.Print(o.Out, screen.Node(p, n, o.size(v, false, o.format == formatWide)))
				}
			}
		}
		return source.Usagef("unknown node %q: no MachineConfigNode has this name", args[0])
	})
}
