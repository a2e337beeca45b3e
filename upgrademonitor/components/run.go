package components

import (
	"context"
	"slices"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
)

// Run writes the conditions until ctx ends; then it returns nil. Only Flush and Clear write besides it.
// Run it while this process is the leader, and only then.
//
//  1. The conditions of an earlier process are taken over first.
//  2. Nothing is written before the Lister has the object, nor while Ready is false. The object is never
//     created.
//  3. All conditions of this process are written by one apply, and only if one differs from the
//     published one, or if others have changed or removed it.
//  4. The first change after a quiet time is written at once. Between two writes there is MinInterval,
//     doubled with each write up to MaxInterval: the latest change wins.
//  5. A rejection by the API server is logged once for each cause, and retried after MaxInterval.
//
// It must be called once.
func (r *Reporter) Run(ctx context.Context) error {
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
	_, err := r.sync(ctx, true)
	return err
}

// Handler wakes Run when the object changes: add it to the informer of the Lister.
func (r *Reporter) Handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { r.notify() },
		UpdateFunc: func(any, any) { r.notify() },
		DeleteFunc: func(any) { r.notify() },
	}
}

// Clear removes the conditions of this process from the object, when the feature is disabled. Those of
// others are kept. Nothing is written any more.
//
// A missing object, or one without these conditions, is not an error.
func (r *Reporter) Clear(ctx context.Context) error {
	if err := r.lock(ctx); err != nil {
		return err
	}
	defer r.unlock()
	r.cleared = true
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error { return r.remove(ctx) })
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// sync writes pending changes, at once or at the pace of writes, and returns when to sync again.
func (r *Reporter) sync(ctx context.Context, atOnce bool) (time.Duration, error) {
	if err := r.lock(ctx); err != nil {
		return 0, err
	}
	defer r.unlock()
	idle := min(r.config.MinInterval, r.config.DegradedInertia, r.config.ProgressingAfter) // time passes without an event
	if r.cleared {
		return idle, nil
	}
	mc, err := r.config.Lister.Get(objectName)
	if err != nil {
		if apierrors.IsNotFound(err) {
			r.pace = pace{} // another one is written at once
		}
		r.failures.Failed(ctx, "read", err, "Waiting for a MachineConfiguration", "component", r.config.Component, "name", objectName)
		return idle, err
	}
	r.failures.Recovered(ctx, "read", "Found the MachineConfiguration", "component", r.config.Component, "name", objectName)
	if !r.config.Ready(mc) {
		return idle, nil
	}
	now := r.config.Clock.Now()
	r.inherit(mc, now)
	r.desired = r.conditions(mc, now)
	if r.isPublished(mc) {
		r.observeHealth(mc)
		return idle, nil
	}
	if wait := r.pace.wait(now); wait > 0 && !atOnce {
		return min(idle, wait), nil
	}
	if err := r.apply(ctx, now); err != nil {
		r.failures.Failed(ctx, "write", err, "Failed to write the conditions of a component, retrying", "component", r.config.Component)
		return idle, err
	}
	r.failures.Recovered(ctx, "write", "Wrote the conditions of a component again", "component", r.config.Component)
	r.observeHealth(mc)
	return idle, nil
}

// isPublished reports whether the object has the desired conditions. An informer that is behind the last
// write is ignored.
func (r *Reporter) isPublished(mc *operatorv1.MachineConfiguration) bool {
	if !equal(r.published, r.desired) {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(mc.ResourceVersion, r.version)
	isBehind := err == nil && order < 0
	return isBehind || equal(own(mc.Status.Conditions, r.config.Component), r.desired)
}

// observeHealth notifies the Observer of changes of health.
func (r *Reporter) observeHealth(mc *operatorv1.MachineConfiguration) {
	if r.config.Observer == nil {
		return
	}
	list := slices.Concat(r.published, mc.Status.Conditions) // the own ones are found first
	for _, c := range withHealth {
		if h := HealthOf(list, c); r.health[c] != h {
			r.health[c] = h
			r.config.Observer.HealthChanged(c, h)
		}
	}
}
