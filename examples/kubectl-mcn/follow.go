package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/examples/internal/simulation"
	"github.com/openshift/upgrademonitor/examples/internal/terminal"
)

const (
	// leastPause is the minimum time between two views.
	leastPause = 250 * time.Millisecond
	// mostPause is the time after which there is another view without a change: ages grow, and
	// nodes get stuck.
	mostPause = time.Second
)

// shower shows one view after the other.
type shower interface {
	show(view) error
	close() // keeps what was shown
}

// follow shows the pools until ctx ends.
func (s snapshot) follow(ctx context.Context, p cli, src source) error {
	var to shower
	switch {
	case s.output == formatJSON:
		to = &moveLog{choice: s.choice, write: func(moves []screen.Move) error { return writeMoves(p.Out, moves) }}
	case p.terminal.IsTerminal && !isReplay(src):
		to = &live{snapshot: s, cli: p, painter: &terminal.Painter{Out: p.Out, Terminal: p.terminal}}
	default:
		zone := src.now().Location()
		to = &moveLog{choice: s.choice, empty: p.notFound, write: func(moves []screen.Move) error {
			return writeLines(p.Out, zone, moves, s.output == formatWide)
		}}
	}
	defer to.close()
	return watchViews(ctx, p.clock, src, trimmerOf(s.choice), func(v view) (bool, error) {
		v, err := s.choose(v)
		if err != nil {
			return false, err
		}
		return false, to.show(v)
	})
}

// trimmerOf returns the trimmer of a store.
func trimmerOf(c choice) trimmer { return trimmer{c.matches, newStore()} }

// watchViews lets a source fill a store, and calls look when it has changed, at most four times a
// second and at least once. It ends when look is done, or fails.
func watchViews(ctx context.Context, c clock.WithTicker, src source, t trimmer, look func(view) (done bool, err error)) error {
	if r, ok := src.(replayer); ok {
		return r.replay(t.store, t, look)
	}
	following, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- src.follow(following, t.store, t) }()
	defer func() { <-ended }() //nolint:errcheck // it was reported to the view
	defer stop()

	tick := c.NewTicker(mostPause)
	defer tick.Stop()
	resized, unnotify := notifyResize()
	defer unnotify()
	for {
		select {
		case <-ctx.Done():
			return context.Canceled
		case err := <-ended:
			ended <- nil // for the deferred receive
			if ctx.Err() != nil {
				return context.Canceled // the source ends with ctx, too
			}
			return lastLook(err, t.store.look(src.now()), look)
		case <-t.store.changed:
		case <-tick.C():
		case <-resized:
		}
		v := t.store.look(src.now())
		if !v.filled {
			continue
		}
		if done, err := look(v); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-c.After(leastPause):
		}
	}
}

// lastLook calls look with the last view of a source that has ended.
func lastLook(err error, v view, look func(view) (bool, error)) error {
	if !errors.Is(err, errFinished) && !isBlocked(err) {
		return err
	}
	if done, err := look(v); done || err != nil {
		return err
	}
	if isBlocked(err) {
		return &exitError{program.ExitFailure, err}
	}
	return nil
}

// isBlocked reports whether an error is the end of a rollout that stuck nodes keep from completing.
// What was seen of it is worth printing.
func isBlocked(err error) bool {
	var blocked *simulation.BlockedError
	return errors.As(err, &blocked)
}

// live redraws a terminal.
type live struct {
	snapshot snapshot
	cli      cli
	painter  *terminal.Painter
}

func (l *live) show(v view) error {
	o := l.snapshot.options(l.cli, v)
	if o.Height > 1 {
		o.Height-- // the cursor is below
	}
	return l.painter.Paint(screen.Snapshot(v.pools, o))
}

func (l *live) close() { l.painter.Close() }

// moveLog prints the changes between two views.
type moveLog struct {
	choice choice
	write  func([]screen.Move) error
	empty  func() error // notes that the first view has no pools; may be nil
	last   *view
}

func (l *moveLog) show(v view) error {
	moves := screen.Found(v.pools, v.time)
	var before view
	switch {
	case l.last != nil:
		before = *l.last
		moves = screen.Moves(before.pools, v.pools, v.time)
	case len(v.pools) == 0 && l.empty != nil:
		if err := l.empty(); err != nil {
			return err
		}
	}
	l.last = &v
	return l.write(l.chosen(moves, before, v))
}

// chosen returns the moves of the nodes that are requested by their state before or after them: a
// node that recovers is not stuck any more.
func (l *moveLog) chosen(moves []screen.Move, before, after view) []screen.Move {
	if l.choice.shows(after) == nil {
		return moves
	}
	chosen := map[string]bool{}
	for _, v := range []view{before, after} {
		show := l.choice.shows(v)
		for _, p := range v.pools {
			for _, n := range p.Nodes {
				chosen[n.Name] = chosen[n.Name] || show(n)
			}
		}
	}
	var left []screen.Move
	for _, m := range moves {
		if m.Node == "" || chosen[m.Node] {
			left = append(left, m)
		}
	}
	return left
}

func (l *moveLog) close() {}
