package main

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
)

// timeline is the chart of the update of each pool.
type timeline struct {
	*cli
	choice choice
	from   sourceFlags
	output string
	since  time.Duration
	watch  bool
}

func newTimeline(c *cli) *cobra.Command {
	t := &timeline{cli: c, from: sourceFlags{noHealth: true}}
	cmd := &cobra.Command{
		Use: "timeline [POOL...] [flags]", Short: "when each node did what",
		Long: "Show when each node did what in this rollout. The steps of an update that is\n" +
			"over are known from a recorded watch, or with -w from now on.",
		RunE: func(cmd *cobra.Command, args []string) error { return t.run(cmd.Context(), args) },
	}
	cmd.Flags().BoolVarP(&t.watch, "watch", "w", false, "go on until Ctrl-C, and print what was seen then")
	cmd.Flags().StringVarP(&t.output, "output", "o", "text", "`FORMAT`: text, csv or svg")
	cmd.Flags().DurationVar(&t.since, "since", 0, "the updates of this time, not of this rollout only")
	t.from.bind(cmd, true)
	cmd.ValidArgsFunction = completeFrom(c, &t.from, poolNames)
	return cmd
}

func (t *timeline) run(ctx context.Context, args []string) error {
	if err := t.choice.complete(args); err != nil {
		return err
	}
	if err := notNegative(map[string]time.Duration{"since": t.since}); err != nil {
		return err
	}
	if t.output != "text" && t.output != "csv" && t.output != "svg" {
		return source.Usagef("--output %q: use text, csv or svg", t.output)
	}
	src, err := t.from.open(ctx, t.cli, !t.watch)
	if err != nil {
		return err
	}
	st := t.from.store()
	if _, isSimulated := src.(*source.Simulated); isSimulated || t.watch { // the steps of a simulated rollout are known, if it is watched
		return t.follow(ctx, src, st)
	}
	v, err := t.load(ctx, src, st)
	if err != nil {
		return err
	}
	if v, err = t.choice.choose(v); err != nil {
		return err
	}
	return t.print(v, src)
}

// follow watches the pools until Ctrl-C, and prints their timeline then. On a terminal, it is
// redrawn meanwhile.
func (t *timeline) follow(ctx context.Context, src source.Source, st *source.Store) error {
	painter := &terminal.Painter{Out: t.Out, Terminal: t.terminal}
	defer painter.Close()
	_, isReplay := src.(source.Replayer)
	redrawn := t.terminal.IsTerminal && t.output == "text" && !isReplay
	var last source.View
	err := t.watchViews(ctx, src, st, func(v source.View) (bool, error) {
		v, err := t.choice.choose(v)
		if err != nil {
			return true, err
		}
		last = v
		if !redrawn {
			return false, nil
		}
		return false, painter.Paint(t.draw(v, t.options(v, src, true)))
	})
	if last.Time.IsZero() || redrawn || err != nil && !errors.Is(err, context.Canceled) && !isBlocked(err) {
		return err
	}
	return errors.Join(t.print(last, src), err)
}

func (t *timeline) options(v source.View, src source.Source, redrawn bool) screen.TimelineOptions {
	o := t.size(v, src, redrawn, false)
	o.Show = t.choice.shows(v)
	return screen.TimelineOptions{Options: o, Since: t.since}
}

func (t *timeline) draw(v source.View, o screen.TimelineOptions) []screen.Line {
	legend := append([]screen.Line{{}}, screen.Legend(o.Width)...)
	if o.Height > 0 {
		o.Height = max(1, o.Height-len(legend))
	}
	chart := screen.Timeline(v.Pools, v.Spans(), o)
	if len(chart) == 0 {
		return screen.Paragraph("No update of a node to the present targets is known; --since 24h shows earlier ones.", o.Width)
	}
	return append(chart, legend...)
}

// print prints the timeline of a view.
func (t *timeline) print(v source.View, src source.Source) error {
	if len(v.Pools) == 0 {
		t.notFound()
	}
	o := t.options(v, src, false)
	switch t.output {
	case "csv":
		return csv.NewWriter(t.Out).WriteAll(screen.Records(v.Pools, v.Spans(), o))
	case "svg":
		_, err := io.WriteString(t.Out, screen.SVG(v.Pools, v.Spans(), o))
		return err
	}
	return t.terminal.Print(t.Out, t.draw(v, o))
}
