package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/simulate"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
)

const (
	// leastPause is the minimum time between two views.
	leastPause = 250 * time.Millisecond
	// mostPause is the time after which there is another view without a change: ages grow, and
	// nodes get stuck.
	mostPause = time.Second
)

// watchViews lets a source fill a store, and calls look when it has changed, at most four times a
// second and at least once. It ends when look is done or fails, and returns why a rollout is blocked.
func (c *cli) watchViews(ctx context.Context, src source.Source, st *source.Store, look func(source.View) (done bool, err error)) error {
	if r, ok := src.(source.Replayer); ok {
		return r.Replay(ctx, st, look)
	}
	following, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- src.Follow(following, st) }()
	defer func() {
		stop()
		<-ended //nolint:errcheck // it was reported
	}()
	tick := c.clock.NewTicker(mostPause)
	defer tick.Stop()
	resized, unnotify := terminal.NotifyResize()
	defer unnotify()
	noted := map[string]bool{}
	for {
		select {
		case <-ctx.Done():
			return context.Canceled
		case err := <-ended:
			ended <- nil // for the deferred receive
			if ctx.Err() != nil {
				return context.Canceled // the source ends with ctx, too
			}
			if !errors.Is(err, source.ErrFinished) && !isBlocked(err) {
				return err
			}
			if done, err := look(st.Look(src.Now())); done || err != nil {
				return err
			}
			if isBlocked(err) {
				return &exitError{exitFailed, err}
			}
			return nil
		case <-st.Changed:
		case <-tick.C():
		case <-resized:
		}
		v := st.Look(src.Now())
		if !v.Ready {
			continue
		}
		c.noteDenied(v, noted)
		if done, err := look(v); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-c.clock.After(leastPause):
		}
	}
}

// noteDenied says once what may not be read.
func (c *cli) noteDenied(v source.View, noted map[string]bool) {
	for resource, err := range v.Denied {
		if !noted[resource] {
			noted[resource] = true
			c.note("%v", err)
		}
	}
}

// load returns one view, and why a simulated rollout is blocked.
func (c *cli) load(ctx context.Context, src source.Source, st *source.Store) (source.View, error) {
	err := src.Load(ctx, st)
	if err != nil && !isBlocked(err) {
		return source.View{}, err
	}
	v := st.Look(src.Now())
	c.noteDenied(v, map[string]bool{})
	if err != nil {
		err = &exitError{exitFailed, err}
	}
	return v, err
}

func isBlocked(err error) bool {
	var blocked *simulate.BlockedError
	return errors.As(err, &blocked)
}

// size returns the options of a screen: its height only where it is redrawn.
func (c *cli) size(v source.View, src source.Source, redrawn, whole bool) screen.Options {
	width, height := c.terminal.Size()
	o := screen.Options{Now: v.Time, Origin: src.Origin(), Width: width, LastContact: v.LastContact, Health: screen.Health(v.Components), Whole: whole}
	if redrawn && height > 1 {
		o.Height = height - 1 // the cursor is below
	}
	if whole && !redrawn {
		o.Width = 0
	}
	return o
}

// redraw redraws a terminal with each view until ctx ends.
func (c *cli) redraw(ctx context.Context, src source.Source, st *source.Store, draw func(source.View) ([]screen.Line, error)) error {
	painter := &terminal.Painter{Out: c.Out, Terminal: c.terminal}
	defer painter.Close()
	return c.watchViews(ctx, src, st, func(v source.View) (bool, error) {
		lines, err := draw(v)
		if err != nil {
			return true, err
		}
		return false, painter.Paint(lines)
	})
}

// moveLog prints the changes between two views.
type moveLog struct {
	choice choice
	write  func(screen.Move) error
	last   *source.View
}

// newMoveLog returns a log that prints lines of text or, with -o json, of JSON.
func (c *cli) newMoveLog(chosen choice, format string, zone *time.Location) *moveLog {
	return &moveLog{choice: chosen, write: func(m screen.Move) error {
		if format == formatJSON {
			return printLine(c.Out, describeMove(m))
		}
		_, err := io.WriteString(c.Out, m.Text(zone, format == formatWide)+"\n")
		return err
	}}
}

// show prints what has changed, and returns how much.
func (l *moveLog) show(v source.View) (int, error) {
	moves, before := screen.Found(v.Pools, v.Time), source.View{}
	if l.last != nil {
		before = *l.last
		moves = screen.Moves(before.Pools, v.Pools, v.Time)
	}
	l.last = &v
	// A node is chosen by its state before or after the move: one that recovers is not stuck any more.
	chosen := map[string]bool{}
	for _, v := range []source.View{before, v} {
		show := l.choice.shows(v)
		for _, p := range v.Pools {
			for _, n := range p.Nodes {
				if show == nil || show(n) {
					chosen[n.Name] = true
				}
			}
		}
	}
	written := 0
	for _, m := range moves {
		if m.Node != "" && !chosen[m.Node] {
			continue
		}
		if err := l.write(m); err != nil {
			return written, err
		}
		written++
	}
	return written, nil
}
