package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// snapshot shows the pools once or, with watch, continuously.
type snapshot struct {
	sourceFlags
	pools []string
	watch bool
}

func newSnapshot(c *CLI) *cobra.Command {
	s := &snapshot{sourceFlags: sourceFlags{CLI: c, ofRollout: true, ofHealth: true}}
	cmd := &cobra.Command{
		Use: "kubectl-mcn [POOL...] [flags]",
		Long: "Show how far the update of a cluster's nodes is, what is stuck, and why.\n" +
			"The flags of kubectl work as well: --context, --kubeconfig, and others.",
		Args: cobra.ArbitraryArgs,
		RunE: s.run, ValidArgsFunction: s.complete(false),
	}
	cmd.Flags().BoolVarP(&s.watch, "watch", "w", false, "watch for changes")
	s.outputFlag.bind(cmd, formatWide)
	s.bind(cmd)
	return cmd
}

func (s *snapshot) run(cmd *cobra.Command, args []string) error {
	s.pools = args
	switch {
	case !s.watch:
		return s.show(cmd.Context(), s.print)
	case !s.isText():
		return source.Usagef("--watch draws a screen: leave -o %s out", s.format)
	case !s.terminal.IsTerminal:
		return source.Usagef("--watch needs a terminal: kubectl mcn wait prints lines")
	}
	return s.redraw(cmd.Context())
}

// redraw redraws a terminal with each view until ctx ends.
func (s *snapshot) redraw(ctx context.Context) error {
	painter := &terminal.Painter{Out: s.Out, Terminal: s.terminal}
	defer painter.Close()
	s.isRedrawn = true
	return s.follow(ctx, func(v source.View) (bool, error) {
		lines, err := s.draw(v)
		if err != nil {
			return true, err
		}
		return false, painter.Paint(lines)
	})
}

func (s *snapshot) draw(v source.View) ([]screen.Line, error) {
	v, err := choose(v, s.pools)
	return screen.Snapshot(v.Pools, s.size(v, s.format == formatWide)), err
}

func (s *snapshot) print(v source.View) error {
	v, err := choose(v, s.pools)
	if err != nil {
		return err
	}
	switch {
	case !s.isText():
		return s.printDocument(s.Out, newDocument(v, s.source.Origin()))
	case len(v.Pools) == 0:
		_, _ = fmt.Fprintln(s.ErrOut, screen.NotFound)
		return nil
	}
	lines, _ := s.draw(v)
	return s.terminal.Print(s.Out, lines)
}

// choose returns a view of the named pools, all pools if there are no names.
func choose(v source.View, names []string) (source.View, error) {
	chosen := []progress.Pool{}
	for _, p := range v.Pools {
		if len(names) == 0 || slices.Contains(names, p.Name) {
			chosen = append(chosen, p)
		}
	}
	all := namesOf(v, false)
	for _, name := range names {
		switch {
		case slices.Contains(all, name):
		case slices.Contains(namesOf(v, true), name):
			return v, source.Usagef("unknown pool %q: it is a node, see kubectl mcn node %s", name, name)
		case len(all) == 0:
			return v, source.Usagef("unknown pool %q: the cluster has none", name)
		default:
			return v, source.Usagef("unknown pool %q: the pools are %s", name, strings.Join(all, ", "))
		}
	}
	v.Pools = chosen
	return v, nil
}

// namesOf returns the names of the pools, or of the nodes.
func namesOf(v source.View, ofNodes bool) (names []string) {
	for _, p := range v.Pools {
		if !ofNodes {
			names = append(names, p.Name)
			continue
		}
		for _, n := range p.Nodes {
			names = append(names, n.Name)
		}
	}
	return names
}

// complete completes names of pools or nodes from the cluster, or the files.
func (f *sourceFlags) complete(ofNodes bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) (names []string, _ cobra.ShellCompDirective) {
		f.requestTimeout = 3 * time.Second
		ctx, cancel := context.WithTimeout(cmd.Context(), f.requestTimeout)
		defer cancel()
		_ = f.show(ctx, func(v source.View) error { names = namesOf(v, ofNodes); return nil }) // no names are completed otherwise
		return slices.DeleteFunc(names, func(name string) bool {
			return !strings.HasPrefix(name, prefix) || slices.Contains(args, name)
		}), cobra.ShellCompDirectiveNoFileComp
	}
}
