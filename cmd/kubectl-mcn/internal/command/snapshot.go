package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
)

// snapshot is the root command. It shows the pools once or, with --watch, after each change.
type snapshot struct {
	sourceFlags
	pools []string
	watch bool
}

func newSnapshot(c *CLI) *cobra.Command {
	s := &snapshot{sourceFlags: sourceFlags{CLI: c, ofRollout: true, ofHealth: true}}
	cmd := &cobra.Command{
		Use: "kubectl-mcn [POOL...]",
		Long: "Show how far the nodes of a cluster are updated, which nodes are stuck, and why.\n" +
			"The flags of kubectl, such as --context and --kubeconfig, work, too.",
		Args: cobra.ArbitraryArgs,
		RunE: s.run,
	}
	cmd.Flags().BoolVarP(&s.watch, "watch", "w", false, "redraw the screen after each change")
	s.bindOutput(cmd)
	s.bind(cmd)
	return cmd
}

func (s *snapshot) run(cmd *cobra.Command, args []string) error {
	s.pools = args
	switch {
	case !s.watch:
		return s.show(cmd.Context(), s.print)
	case !s.isText():
		return source.Usagef("--watch cannot be used with -o %s", s.format)
	case !s.terminal.IsTerminal:
		return source.Usagef("--watch needs a terminal: use kubectl mcn wait, which prints lines")
	}
	return s.redraw(cmd.Context())
}

// redraw draws each view on the terminal until ctx ends.
func (s *snapshot) redraw(ctx context.Context) error {
	painter := &terminal.Painter{Out: s.Out, Terminal: s.terminal}
	defer painter.Close()
	s.isRedrawn = true
	return s.follow(ctx, func(v source.View) (bool, error) {
		v, err := choose(v, s.pools)
		if err != nil {
			return true, err
		}
		return false, painter.Paint(s.draw(v))
	})
}

func (s *snapshot) draw(v source.View) []screen.Line {
	return screen.Snapshot(v.Cluster, s.options(v, s.format == formatWide))
}

func (s *snapshot) print(v source.View) error {
	v, err := choose(v, s.pools)
	if err != nil {
		return err
	}
	switch {
	case !s.isText():
		return s.printer.PrintObj(newDocument(v, s.source.Origin()), s.Out)
	case len(v.Pools) == 0:
		_, _ = fmt.Fprintln(s.ErrOut, screen.NotFound)
		return nil
	}
	return s.terminal.Print(s.Out, s.draw(v))
}

// choose returns the view with only the named pools, or with all pools if names is empty.
func choose(v source.View, names []string) (source.View, error) {
	var all []string
	chosen := []cluster.Pool{}
	for _, p := range v.Pools {
		all = append(all, p.Name)
		if len(names) == 0 || slices.Contains(names, p.Name) {
			chosen = append(chosen, p)
		}
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return v, source.Usagef("unknown pool %q: the pools are %s; for a node, use kubectl mcn node %s",
				name, cmp.Or(strings.Join(all, ", "), "none"), name)
		}
	}
	v.Pools = chosen
	return v, nil
}
