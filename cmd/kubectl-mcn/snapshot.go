package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// snapshot shows the pools once or, with watch, continuously.
type snapshot struct {
	*cli
	choice choice
	from   sourceFlags
	output outputFlag
	watch  bool
}

func newSnapshot(c *cli) *cobra.Command {
	s := &snapshot{cli: c}
	cmd := &cobra.Command{
		Use:  "kubectl-mcn [POOL...] [flags]",
		Long: "Show how far the update of a cluster's nodes is, what is stuck, and why.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context(), args) },
	}
	cmd.Flags().BoolVarP(&s.watch, "watch", "w", false, "go on until Ctrl-C")
	s.output.bind(cmd, formatWide, formatName)
	s.choice.bind(cmd)
	s.from.bind(cmd, true)
	cmd.ValidArgsFunction = completeFrom(c, &s.from, poolNames)
	return cmd
}

func (s *snapshot) run(ctx context.Context, args []string) error {
	if err := s.choice.complete(args); err != nil {
		return err
	}
	if err := s.output.check(); err != nil {
		return err
	}
	if s.watch && !s.output.isText() && s.output.format != formatJSON {
		return source.Usagef("--watch prints a screen, lines or json: leave -o %s out", s.output.format)
	}
	src, err := s.from.open(ctx, s.cli, !s.watch)
	if err != nil {
		return err
	}
	st := s.from.store()
	if s.watch {
		return s.follow(ctx, src, st)
	}
	v, blocked := s.load(ctx, src, st)
	if v.Time.IsZero() && blocked != nil {
		return blocked
	}
	if v, err = s.choice.choose(v); err != nil {
		return err
	}
	if err := s.print(v, src); err != nil {
		return err
	}
	return blocked
}

func (s *snapshot) follow(ctx context.Context, src source.Source, st *source.Store) error {
	_, isReplay := src.(source.Replayer)
	if s.terminal.IsTerminal && s.output.format != formatJSON && !isReplay {
		return s.redraw(ctx, src, st, func(v source.View) ([]screen.Line, error) {
			v, err := s.choice.choose(v)
			return screen.Snapshot(v.Pools, s.options(v, src, true)), err
		})
	}
	moves := s.newMoveLog(s.choice, s.output.format, src.Now().Location())
	return s.watchViews(ctx, src, st, func(v source.View) (bool, error) {
		v, err := s.choice.choose(v)
		if err != nil {
			return true, err
		}
		if moves.last == nil && len(v.Pools) == 0 {
			s.notFound()
		}
		_, err = moves.show(v)
		return false, err
	})
}

// notFound says that there is nothing to print, as kubectl does.
func (c *cli) notFound() { _, _ = fmt.Fprintln(c.ErrOut, screen.NotFound) }

func (s *snapshot) print(v source.View, src source.Source) error {
	switch {
	case s.output.format == formatName:
		show := s.choice.shows(v)
		for _, p := range v.Pools {
			for _, n := range p.Nodes {
				if show != nil && !show(n) {
					continue
				}
				if _, err := fmt.Fprintln(s.Out, "machineconfignode.machineconfiguration.openshift.io/"+screen.Clean(n.Name, 0)); err != nil {
					return err
				}
			}
		}
		return nil
	case !s.output.isText():
		return s.output.print(s.Out, newDocument(v, src.Origin(), s.choice.shows(v)))
	case len(v.Pools) == 0:
		s.notFound()
		return nil
	}
	return s.terminal.Print(s.Out, screen.Snapshot(v.Pools, s.options(v, src, false)))
}

func (s *snapshot) options(v source.View, src source.Source, redrawn bool) screen.Options {
	o := s.size(v, src, redrawn, s.output.format == formatWide)
	o.Show, o.List = s.choice.shows(v), s.choice.state != ""
	return o
}
