package main

import (
	"context"
	"errors"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/simulate"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	// leastPause is the minimum time between two views.
	leastPause = 250 * time.Millisecond
	// mostPause is the time after which there is another view without a change: ages grow, nodes get stuck,
	// and the terminal has another size.
	mostPause = time.Second
)

// follow calls look with a view of the source when it has changed, at most four times a second and at least
// once. It ends when look is done or fails, and returns why a rollout is blocked.
func (f *sourceFlags) follow(ctx context.Context, look func(source.View) (done bool, err error)) error {
	src, st := f.source, source.NewStore(progress.Limits{StuckAfter: f.stuckAfter})
	following, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- src.Follow(following, st) }()
	defer func() {
		stop()
		<-ended //nolint:errcheck // it was reported
	}()
	tick := f.clock.NewTicker(mostPause)
	defer tick.Stop()
	noted := map[string]bool{}
	for {
		var end error
		select {
		case <-ctx.Done():
			return context.Canceled
		case end = <-ended:
			ended <- nil // for the deferred receive
			var blocked *simulate.BlockedError
			switch {
			case ctx.Err() != nil:
				return context.Canceled // the source ends with ctx, too
			case errors.As(end, &blocked):
				end = &exitError{exitFailed, end}
			case !errors.Is(end, source.ErrFinished):
				return end
			}
		case <-st.Changed:
		case <-tick.C():
		}
		v := st.Look(src.Now())
		if !v.Ready && end == nil {
			continue
		}
		for resource, err := range v.Denied {
			if !noted[resource] {
				noted[resource] = true
				f.note("%v", err)
			}
		}
		switch done, err := look(v); {
		case done, err != nil:
			return err
		case errors.Is(end, source.ErrFinished):
			return nil
		case end != nil:
			return end
		}
		select {
		case <-ctx.Done():
		case err := <-ended:
			ended <- err
		case <-f.clock.After(leastPause):
		}
	}
}

// show prints the first view, of a simulated rollout its middle or its end.
func (f *sourceFlags) show(ctx context.Context, print func(source.View) error) error {
	var last source.View
	err := f.follow(ctx, func(v source.View) (bool, error) {
		last = v
		simulated, ok := f.source.(*source.Simulated)
		return !ok || simulated.IsMiddle(v), nil
	})
	var blocked *exitError
	if err != nil && !errors.As(err, &blocked) {
		return err
	}
	if err := print(last); err != nil {
		return err
	}
	return err
}

// redraw redraws a terminal with each view until ctx ends.
func (f *sourceFlags) redraw(ctx context.Context, draw func(source.View) ([]screen.Line, error)) error {
	painter := &terminal.Painter{Out: f.Out, Terminal: f.terminal}
	defer painter.Close()
	return f.follow(ctx, func(v source.View) (bool, error) {
		lines, err := draw(v)
		if err != nil {
			return true, err
		}
		return false, painter.Paint(lines)
	})
}

// size returns the options of a screen: its height only where it is redrawn.
func (f *sourceFlags) size(v source.View, redrawn, whole bool) screen.Options {
	width, height := f.terminal.Size()
	o := screen.Options{Now: v.Time, Origin: f.source.Origin(), Width: width, LastContact: v.LastContact, Health: screen.Health(v.Components), Whole: whole}
	if redrawn && height > 1 {
		o.Height = height - 1 // the cursor is below
	}
	if whole && !redrawn {
		o.Width = 0
	}
	return o
}
