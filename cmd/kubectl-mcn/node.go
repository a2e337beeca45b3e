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
	watch  bool
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
	cmd.Flags().BoolVarP(&o.watch, "watch", "w", false, "go on until Ctrl-C")
	o.output.bind(cmd, formatWide)
	o.from.bind(cmd, false)
	cmd.ValidArgsFunction = completeFrom(c, &o.from, nodeNames)
	return cmd
}

func (o *oneNode) run(ctx context.Context) error {
	if err := o.output.check(); err != nil {
		return err
	}
	if o.watch && !o.output.isText() && o.output.format != formatJSON {
		return source.Usagef("--watch prints a screen, lines or json: leave -o %s out", o.output.format)
	}
	src, err := o.from.open(ctx, o.cli, !o.watch)
	if err != nil {
		return err
	}
	st := o.from.store()
	if o.watch {
		return o.follow(ctx, src, st)
	}
	v, blocked := o.load(ctx, src, st)
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

func (o *oneNode) follow(ctx context.Context, src source.Source, st *source.Store) error {
	_, isReplay := src.(source.Replayer)
	if o.terminal.IsTerminal && o.output.isText() && !isReplay {
		return o.redraw(ctx, src, st, func(v source.View) ([]screen.Line, error) {
			p, n, err := o.find(v)
			if err != nil {
				return nil, err
			}
			return screen.Node(p, n, o.size(v, src, true, false)), nil
		})
	}
	moves := o.newMoveLog(choice{}, o.output.format, src.Now().Location())
	moves.node = o.name
	return o.watchViews(ctx, src, st, func(v source.View) (bool, error) {
		if _, _, err := o.find(v); err != nil && moves.last == nil && !isReplay {
			return true, err
		}
		_, err := moves.show(v)
		return false, err
	})
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
