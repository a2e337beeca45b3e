package main

import (
	"context"
	"io"
	"time"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/screen"
)

const snapshotHelp = `kubectl mcn shows how far the update of a cluster's nodes is: each pool, the nodes that are
stuck, since when and why, and the nodes in flight. It writes nothing.

Usage:
  kubectl mcn [POOL...] [flags]            one look, or with -w until Ctrl-C
  kubectl mcn wait [POOL...] [flags]       return when pools are done
  kubectl mcn timeline [POOL...] [flags]   when each node did what
  kubectl mcn components [flags]           what the operator, the controller and the daemons do
`

// The formats of a snapshot.
const (
	formatWide = "wide"
	formatJSON = "json"
	formatYAML = "yaml"
)

// snapshot shows the pools once or, with watch, continuously.
type snapshot struct {
	choice
	output string
	watch  bool
}

func runSnapshot(ctx context.Context, p cli, args []string) error {
	var s snapshot
	var from sourceFlags
	flags := newFlags("mcn", snapshotHelp, p.Out)
	flags.BoolVarP(&s.watch, "watch", "w", false, "go on until Ctrl-C: a terminal is redrawn, else each move is a line")
	flags.StringVarP(&s.output, "output", "o", "", "`format`: wide (all columns and nodes, nothing cut), json or yaml")
	s.bind(flags)
	from.bind(flags)
	if err := parse(flags, args); err != nil {
		return err
	}
	if err := s.complete(flags.Args()); err != nil {
		return err
	}
	if err := output(s.output, formatWide, formatJSON, formatYAML); err != nil {
		return err
	}
	if s.watch && s.output == formatYAML {
		return usage("--watch prints lines or json: leave -o yaml out")
	}
	src, err := from.open(ctx, p, !s.watch)
	if err != nil {
		return err
	}
	if s.watch {
		return s.follow(ctx, p, src)
	}
	return s.once(ctx, p, src)
}

// once prints one view, also of a rollout that is blocked.
func (s snapshot) once(ctx context.Context, p cli, src source) error {
	st := newStore()
	err := src.load(ctx, st, trimmer{s.matches, st})
	if err != nil && !isBlocked(err) {
		return err
	}
	v, chosen := s.choose(st.look(src.now()))
	if chosen != nil {
		return chosen
	}
	if printed := s.print(p, v); printed != nil || err == nil {
		return printed
	}
	return &exitError{program.ExitFailure, err}
}

// print prints a view.
func (s snapshot) print(p cli, v view) error {
	switch s.output {
	case formatJSON:
		return writeJSON(p.Out, newDocument(v, s.shows(v)), true)
	case formatYAML:
		return writeYAML(p.Out, newDocument(v, s.shows(v)))
	}
	if len(v.pools) == 0 {
		return p.notFound()
	}
	o := s.options(p, v)
	o.Height = 0 // it may scroll
	if s.output == formatWide {
		o.Width = 0
	}
	return p.terminal.Print(p.Out, screen.Snapshot(v.pools, o))
}

// options returns the options of the screen of a view.
func (s snapshot) options(p cli, v view) screen.Options {
	width, height := p.terminal.Size()
	return screen.Options{
		Now: v.time, Width: width, Height: height, LastContact: v.lastContact,
		Show: s.shows(v), List: s.state != "", Whole: s.output == formatWide,
	}
}

// writeLines prints lines of text, whole or with long messages cut.
func writeLines(w io.Writer, zone *time.Location, moves []screen.Move, whole bool) error {
	for _, m := range moves {
		if _, err := io.WriteString(w, m.Text(zone, whole)+"\n"); err != nil {
			return err
		}
	}
	return nil
}
