package main

import (
	"context"
	"encoding/csv"
	"io"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/examples/internal/terminal"
)

const timelineHelp = `kubectl mcn timeline shows when each node did what in the update of its pool. The steps of an
update that is over are known only from a recorded watch, or with --watch from now on.

Usage:
  kubectl mcn timeline [POOL...] [flags]
  kubectl mcn timeline -f watch.json -o svg > update.svg
`

// The formats of a timeline.
const (
	formatText = "text"
	formatCSV  = "csv"
	formatSVG  = "svg"
)

// timeline is the chart of the update of each pool.
type timeline struct {
	choice
	output string
	watch  bool
}

func runTimeline(ctx context.Context, p cli, args []string) error {
	var t timeline
	var from sourceFlags
	flags := newFlags("mcn timeline", timelineHelp, p.Out)
	flags.BoolVarP(&t.watch, "watch", "w", false, "go on until Ctrl-C, and print what was seen then; a terminal is redrawn")
	flags.StringVarP(&t.output, "output", "o", formatText, "`format`: text, csv or svg")
	flags.StringVarP(&t.selector, "selector", "l", "", "only nodes whose MachineConfigNode has these `labels`")
	from.bind(flags)
	if err := parse(flags, args); err != nil {
		return err
	}
	if err := t.complete(flags.Args()); err != nil {
		return err
	}
	if err := output(t.output, formatText, formatCSV, formatSVG); err != nil {
		return err
	}
	src, err := from.open(ctx, p, !t.watch)
	if err != nil {
		return err
	}
	trim := trimmerOf(t.choice)
	if _, ok := src.(*simulated); ok || t.watch { // the steps of a simulated rollout are known, if it is watched
		return t.follow(ctx, p, src, trim)
	}
	if err := src.load(ctx, trim.store, trim); err != nil {
		return err
	}
	v, err := t.choose(trim.store.look(src.now()))
	if err != nil {
		return err
	}
	return t.print(p, v, trim.store)
}

// follow watches the pools until Ctrl-C, and prints their timeline then. On a terminal, it is
// redrawn meanwhile.
func (t timeline) follow(ctx context.Context, p cli, src source, trim trimmer) error {
	paint := terminal.Painter{Out: p.Out, Terminal: p.terminal}
	var last view
	painted := false
	err := watchViews(ctx, p.clock, src, trim, func(v view) (bool, error) {
		v, err := t.choose(v)
		if err != nil {
			return true, err
		}
		last = v
		if p.terminal.IsTerminal && t.output == formatText && !isReplay(src) {
			o := t.options(p, v)
			if o.Height > 1 {
				o.Height--
			}
			if err := paint.Paint(t.draw(v, trim.store, o)); err != nil {
				return true, err
			}
			painted = true
		}
		return false, nil
	})
	paint.Close()
	if last.time.IsZero() || painted || err != nil && ctx.Err() == nil && !isBlocked(err) {
		return err
	}
	if printed := t.print(p, last, trim.store); printed != nil {
		return printed
	}
	return err
}

func (t timeline) options(p cli, v view) screen.Options {
	width, height := p.terminal.Size()
	return screen.Options{Now: v.time, Width: width, Height: height, Show: t.shows(v)}
}

func (t timeline) draw(v view, s *store, o screen.Options) []screen.Line {
	legend := append([]screen.Line{{}}, screen.Legend(o.Width)...)
	if o.Height > 0 {
		o.Height = max(1, o.Height-len(legend))
	}
	chart := screen.Timeline(v.pools, s.spans(), o)
	if len(chart) == 0 {
		return screen.Paragraph("No update of a node is known.", o.Width)
	}
	return append(chart, legend...)
}

// print prints the timeline of a view.
func (t timeline) print(p cli, v view, s *store) error {
	if len(v.pools) == 0 {
		if err := p.notFound(); err != nil || t.output == formatText {
			return err
		}
	}
	o := t.options(p, v)
	o.Height = 0
	switch t.output {
	case formatCSV:
		return csv.NewWriter(p.Out).WriteAll(screen.Records(v.pools, s.spans(), o))
	case formatSVG:
		_, err := io.WriteString(p.Out, screen.SVG(v.pools, s.spans(), o))
		return err
	}
	return p.terminal.Print(p.Out, t.draw(v, s, o))
}
