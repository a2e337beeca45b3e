package command

import (
	"context"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	// leastPause is the minimum time between two views.
	leastPause = 250 * time.Millisecond
	// mostPause is the time after which there is another view without a change: ages grow, nodes get stuck,
	// and the terminal has another size.
	mostPause = time.Second
)

// show opens the source, and prints one view of it.
func (f *sourceFlags) show(ctx context.Context, print func(source.View) error) error {
	if err := f.open(); err != nil {
		return err
	}
	st := source.NewStore(progress.Limits{StuckAfter: f.stuckAfter})
	if err := f.source.Read(ctx, st, false); err != nil {
		return err
	}
	v := st.View(f.source.Now())
	f.noteDenied(v, map[string]bool{})
	return print(v)
}

// follow opens the source, and calls do with a view of it when it has changed, at most four times a second and at least
// once. It ends when it is done or fails, or the source has ended.
func (f *sourceFlags) follow(ctx context.Context, do func(source.View) (done bool, err error)) error {
	if err := f.open(); err != nil {
		return err
	}
	st := source.NewStore(progress.Limits{StuckAfter: f.stuckAfter})
	reading, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- f.source.Read(reading, st, true) }()
	defer func() {
		stop()
		<-ended //nolint:errcheck // it was reported
	}()
	tick := f.clock.NewTicker(mostPause)
	defer tick.Stop()
	noted, isFailing := map[string]bool{}, false
	for {
		isLast := false
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			ended <- nil // for the deferred receive
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
		f.noteDenied(v, noted)
		if done, err := do(v); done || isLast || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case err := <-ended:
			ended <- err
		case <-f.clock.After(leastPause):
		}
	}
}

// noteDenied says once which resources may not be read.
func (f *sourceFlags) noteDenied(v source.View, noted map[string]bool) {
	for resource, err := range v.Denied {
		if !noted[resource] {
			noted[resource] = true
			f.note("%v", err)
		}
	}
}

// size returns the options of a screen: its height only if it is redrawn.
func (f *sourceFlags) size(v source.View, whole bool) screen.Options {
	width, height := f.terminal.Size()
	o := screen.Options{
		Now: v.Time, Origin: f.source.Origin(), Width: width, LastContact: v.LastContact, Health: screen.Health(v.Components),
		Whole: whole, Releases: v.Releases, Unmanaged: v.Unmanaged,
	}
	switch {
	case f.isRedrawn && height > 1:
		o.Height = height - 1 // the cursor is below
	case whole && !f.isRedrawn:
		o.Width = 0
	}
	return o
}
