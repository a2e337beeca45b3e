package components

import (
	"context"
	"errors"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/handlers"
)

// Run writes the conditions until ctx ends; then it returns nil. Only Flush and Clear write besides it.
// Run it while this process is the leader, and only then.
//
//  1. The conditions of an earlier process are taken over first, and when Run is called again, those
//     of another leader: what was reported before the last Run ended counts no more. Nothing is
//     written before the Lister has the object, nor while Ready is false.
//  2. All conditions of this process are written by one apply, and only if one differs from the
//     published one, or if others have changed or removed it.
//  3. The first change after a quiet time is written at once. Between two writes there is MinInterval,
//     doubled with each write up to MaxInterval: changes meanwhile are combined.
//  4. A rejection by the API server is logged once for each cause, and retried after MaxInterval. An
//     object that does not exist is waited for, and never created.
//
// It returns an error if Run is running already.
func (r *Reporter) Run(ctx context.Context) error {
	if r == nil {
		<-ctx.Done()
		return nil
	}
	if !r.running.CompareAndSwap(false, true) {
		return errors.New("components: Run is running already: call it once per Reporter")
	}
	defer r.running.Store(false)
	if err := r.startTerm(ctx); err != nil {
		return nil
	}
	defer r.endTerm()
	timer := r.config.Clock.NewTimer(r.config.MaxInterval)
	defer timer.Stop()
	for {
		wait, _ := r.sync(ctx, false) // it has logged its error
		timer.Stop()
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return nil
		case <-r.wake:
		case <-timer.C():
		}
	}
}

// Flush writes pending changes at once, before a process ends. Nothing to write, or an object that is
// not Ready, is not an error.
func (r *Reporter) Flush(ctx context.Context) error {
	if r == nil {
		return nil
	}
	_, err := r.sync(ctx, true)
	return err
}

// Handler wakes Run when the object changes: add it to the informer of the Lister.
func (r *Reporter) Handler() cache.ResourceEventHandler {
	if r == nil {
		return handlers.Funcs[*operatorv1.MachineConfiguration]{}
	}
	changed := func(mc *operatorv1.MachineConfiguration) {
		if mc.Name == ObjectName {
			r.notify()
		}
	}
	return handlers.Funcs[*operatorv1.MachineConfiguration]{
		Add:    changed,
		Update: func(_, after *operatorv1.MachineConfiguration) { changed(after) },
		Delete: changed,
	}
}

// sync writes pending changes, at once or as the limiter allows, and returns when to sync again.
func (r *Reporter) sync(ctx context.Context, atOnce bool) (time.Duration, error) {
	if err := r.lock(ctx); err != nil {
		return 0, err
	}
	defer r.unlock()
	o := &r.object
	idle := min(r.config.MinInterval, r.config.Dwell) // the begin of a pass does not wake Run
	if o.cleared {
		return idle, nil
	}
	mc, err := o.get()
	if err != nil {
		r.waiting.Failed(ctx, err, "Waiting for a MachineConfiguration", "component", r.config.Component, "name", ObjectName)
		return idle, err
	}
	r.waiting.Recovered(ctx, "Found the MachineConfiguration", "component", r.config.Component, "name", ObjectName)
	if !r.config.Ready(mc) {
		return idle, nil
	}
	now := r.config.Clock.Now()
	if !o.adopted {
		if o.adopted = true; !o.behind(mc) {
			o.published = own(mc.Status.Conditions, r.config.Component)
		}
		r.adopt(mc, o.published, now)
	}
	r.mu.Lock()
	list, next := r.desired(o.published, now)
	r.mu.Unlock()
	stamp(list, o.published, o.attempted, now)
	if next > 0 {
		idle = min(idle, next)
	}
	if o.satisfied(mc, list, now) {
		o.attempted = nil
		o.observeHealth(mc)
		return idle, nil
	}
	if wait := o.wait(mc, now); wait > 0 && !atOnce {
		return min(idle, wait), nil
	}
	err = o.write(ctx, mc, list, now)
	if err != nil {
		r.failures.Failed(ctx, err, "Failed to write the conditions of a component, retrying", "component", r.config.Component)
		return idle, err
	}
	if len(o.surplus(mc, list)) == 0 {
		r.failures.Recovered(ctx, "Wrote the conditions of a component again", "component", r.config.Component)
	}
	return idle, nil
}
