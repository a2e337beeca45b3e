package command

import (
	"context"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

const (
	// minPause is the minimum time between two views.
	minPause = 250 * time.Millisecond
	// maxPause is the maximum time between two views. Even if no object changes, ages grow, nodes
	// become stuck, and the user may resize the terminal.
	maxPause = time.Second
)

// show opens the source, reads it once, and prints the view.
func (f *sourceFlags) show(ctx context.Context, print func(source.View) error) error {
	if err := f.open(); err != nil {
		return err
	}
	st := source.NewStore()
	if err := f.source.Read(ctx, st, false); err != nil {
		return err
	}
	v := st.View(f.source.Now())
	f.noteDenied(v, map[string]bool{})
	return print(v)
}

// follow opens the source, and calls do with a new view after each change and after maxPause, but
// never twice within minPause. It returns when do returns true or an error, when ctx ends, or when
// the source has no more objects.
func (f *sourceFlags) follow(ctx context.Context, do func(source.View) (done bool, err error)) error {
	if err := f.open(); err != nil {
		return err
	}
	st := source.NewStore()
	reading, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- f.source.Read(reading, st, true) }()
	defer func() {
		stop()
		<-ended //nolint:errcheck // follow has returned the error
	}()
	tick := f.clock.NewTicker(maxPause)
	defer tick.Stop()
	noted, isFailing := map[string]bool{}, false
	for {
		isLast := false
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			ended <- nil // the deferred function receives this value
			if err != nil {
				return err
			}
			isLast = true
		case <-st.Changed:
		case <-tick.C():
		}
		v := st.View(f.source.Now())
		v.Last = isLast
		if v.Failure != nil && !isFailing && (!f.isRedrawn || !v.Ready) {
			f.note("%v; trying again", v.Failure)
		}
		isFailing = v.Failure != nil
		if !v.Ready {
			continue
		}
		if err := v.DeniedRequired(); err != nil && f.needsAll {
			return err
		}
		f.noteDenied(v, noted)
		if done, err := do(v); done || isLast || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case err := <-ended:
			ended <- err
		case <-f.clock.After(minPause):
		}
	}
}

// noteDenied prints a note for each resource that the user may not read and that is not in noted.
func (f *sourceFlags) noteDenied(v source.View, noted map[string]bool) {
	for resource, err := range v.Denied {
		if !noted[resource] {
			noted[resource] = true
			f.note("%v", err)
		}
	}
}

// options returns the options of a screen. Only a redrawn screen has a maximum height. If whole is
// set, the screen has no maximum width, unless it is redrawn.
func (f *sourceFlags) options(v source.View, whole bool) screen.Options {
	width, height := f.terminal.Size()
	o := screen.Options{
		Facts: v.Facts, Now: v.Time, Origin: f.source.Origin(), Width: width, Whole: whole,
		LastContact: v.LastContact, Health: screen.Health(v.Components),
	}
	switch {
	case f.isRedrawn:
		o.Height = max(0, height-1) // the last row is for the cursor
	case whole:
		o.Width = 0
	}
	return o
}
