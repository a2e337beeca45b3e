package main

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// timeline is the chart of the update of each pool.
type timeline struct {
	sourceFlags
	pools  []string
	format string
	since  time.Duration
	watch  bool
}

func newTimeline(c *cli) *cobra.Command {
	t := &timeline{sourceFlags: sourceFlags{cli: c, noHealth: true}}
	cmd := &cobra.Command{
		Use: "timeline [POOL...] [flags]", Short: "when each node did what",
		Long: "Show when each node did what in this rollout. The steps of an update that is\n" +
			"over are known with -w from now on.",
		RunE: t.run, ValidArgsFunction: t.complete(false),
	}
	cmd.Flags().BoolVarP(&t.watch, "watch", "w", false, "go on until Ctrl-C, and print what was seen then")
	cmd.Flags().StringVarP(&t.format, "output", "o", "text", "`FORMAT`: text, csv or svg")
	cmd.Flags().DurationVar(&t.since, "since", 0, "the updates of this time, not of this rollout only")
	t.bind(cmd, true)
	return cmd
}

func (t *timeline) run(cmd *cobra.Command, args []string) error {
	t.pools = args
	if err := notNegative(map[string]time.Duration{"since": t.since}); err != nil {
		return err
	}
	if !slices.Contains([]string{"text", "csv", "svg"}, t.format) {
		return source.Usagef("--output %q: use text, csv or svg", t.format)
	}
	if err := t.open(cmd, !t.watch); err != nil {
		return err
	}
	_, isSimulated := t.source.(*source.Simulated) // its steps are known, if it is watched
	if !isSimulated && !t.watch {
		return t.show(cmd.Context(), t.print)
	}
	if t.terminal.IsTerminal && t.format == "text" {
		return t.redraw(cmd.Context(), func(v source.View) ([]screen.Line, error) {
			v, err := choose(v, t.pools)
			return t.draw(v, t.options(v, true)), err
		})
	}
	var last source.View
	err := t.follow(cmd.Context(), func(v source.View) (bool, error) { last = v; return false, nil })
	var blocked *exitError
	if last.Time.IsZero() || err != nil && !errors.Is(err, context.Canceled) && !errors.As(err, &blocked) {
		return err
	}
	return errors.Join(t.print(last), err)
}

func (t *timeline) options(v source.View, redrawn bool) screen.TimelineOptions {
	o := t.size(v, redrawn, false)
	o.Show = shows(v, "")
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
func (t *timeline) print(v source.View) error {
	v, err := choose(v, t.pools)
	if err != nil {
		return err
	}
	if len(v.Pools) == 0 {
		t.notFound()
	}
	o := t.options(v, false)
	switch t.format {
	case "csv":
		return csv.NewWriter(t.Out).WriteAll(screen.Records(v.Pools, v.Spans(), o))
	case "svg":
		_, err := io.WriteString(t.Out, screen.SVG(v.Pools, v.Spans(), o))
		return err
	}
	return t.terminal.Print(t.Out, t.draw(v, o))
}
