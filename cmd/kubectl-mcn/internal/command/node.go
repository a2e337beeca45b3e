package command

import (
	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// newNodeCommand returns the command that shows everything about one node.
func newNodeCommand(c *CLI) *cobra.Command {
	f := &sourceFlags{CLI: c, ofRollout: true}
	cmd := &cobra.Command{
		Use: "node NAME [flags]", Short: "show everything about one node",
		Long:              "Show everything about one node: its steps, messages, and where to look next.",
		ValidArgsFunction: f.complete(true),
	}
	f.outputFlag.bind(cmd, formatWide)
	f.bind(cmd, false)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return source.Usagef("name one node; see kubectl mcn node --help")
		}
		return f.show(cmd.Context(), func(v source.View) error {
			for _, p := range v.Pools {
				for _, n := range p.Nodes {
					switch {
					case n.Name != args[0]:
					case f.isText():
						return f.terminal.Print(f.Out, screen.Node(p, n, f.size(v, f.format == formatWide)))
					default:
						doc := describe(n)
						return f.printDocument(f.Out, &document{TypeMeta: typeMeta("NodeRollout"), documentNode: &doc})
					}
				}
			}
			return source.Usagef("unknown node %q: no MachineConfigNode has this name", args[0])
		})
	}
	return cmd
}
