package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

func newNodeCommand(c *CLI) *cobra.Command {
	f := &sourceFlags{CLI: c, ofRollout: true}
	cmd := &cobra.Command{
		Use: "node NAME", Short: "show everything about one node",
		Long: "Show everything about one node: its steps, their messages, and what to do next.",
	}
	f.bindOutput(cmd)
	f.bind(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return source.Usagef("name one node; see kubectl mcn node --help")
		}
		return f.show(cmd.Context(), func(v source.View) error {
			p, n, err := findNode(v, args[0])
			switch {
			case err != nil:
				return err
			case f.isText():
				return f.terminal.Print(f.Out, screen.Node(p, n, f.options(v, f.format == formatWide)))
			}
			doc := describe(n, wholeOptions(v))
			about := screen.ProblemsOf(p, n.Name, wholeOptions(v))
			return f.printer.PrintObj(&document{TypeMeta: typeMeta("NodeRollout"), documentNode: &doc, Entries: entries(about)}, f.Out)
		})
	}
	return cmd
}

// findNode returns the node with this name, and its pool. A prefix of the name is enough if no
// other node has this prefix.
func findNode(v source.View, name string) (pool cluster.Pool, node cluster.Node, err error) {
	var found []string
	for _, p := range v.Pools {
		for _, n := range p.Nodes {
			switch {
			case n.Name == name, strings.HasPrefix(n.Name, name+"."): // a short host name is exact
				return p, n, nil
			case strings.HasPrefix(n.Name, name):
				pool, node = p, n
				found = append(found, n.Name)
			}
		}
	}
	isNamed := func(other string) bool { return strings.HasPrefix(other, name) }
	switch {
	case len(found) > 1:
		err = source.Usagef("%q is the start of %d names, such as %s and %s", name, len(found), found[0], found[1])
	case len(found) == 1:
	case slices.ContainsFunc(v.Leftover, isNamed):
		err = source.Usagef("the MachineConfigNode %q is left over: there is no Node of this name", name)
	case slices.ContainsFunc(v.Unselected, isNamed):
		err = source.Usagef("no MachineConfigPool selects the node %q, so it gets no updates: check its labels", name)
	case slices.ContainsFunc(v.Conflicts, func(c cluster.Conflict) bool { return isNamed(c.Node) }):
		err = source.Usagef("several MachineConfigPools select the node %q, so it is in no pool: check its labels", name)
	default:
		err = source.Usagef("unknown node %q: no pool has a node of this name", name)
	}
	return pool, node, err
}
