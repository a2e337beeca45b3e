package components

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/bounded"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/failurelog"
)

// LeaseWatch determines from a Lease whether a process is running. Create it with NewLeaseWatch.
type LeaseWatch struct {
	config   LeaseConfig
	running  atomic.Bool
	failures failurelog.Log
}

// NewLeaseWatch returns a LeaseWatch. It makes no request. Invalid input is a *field.Error.
func NewLeaseWatch(config LeaseConfig) (*LeaseWatch, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	return &LeaseWatch{config: config}, nil
}

// Run reads the Lease once per Interval, and judges, until ctx ends; then it returns nil.
//
//  1. The component is available once a renewal was observed: the Lease has changed.
//  2. It is Unknown, LeaseExpired, if no renewal was observed for the duration of the Lease and Grace:
//     it was deleted, released or not renewed, or the API server does not respond. NoData means that
//     the Lease could not be read. Nothing is judged before any of these is known.
//  3. It is not available, DeploymentUnavailable, while its Deployment is not.
//  4. Only the local clock is used. The holder's may differ by any time.
//
// A Lease proves that the process is running, not that it works. Run returns an error if it is running
// already, or if Judge rejects the Component.
func (w *LeaseWatch) Run(ctx context.Context) error {
	if !w.running.CompareAndSwap(false, true) {
		return errors.New("components: LeaseWatch.Run is running already: call it once per LeaseWatch")
	}
	defer w.running.Store(false)
	ticker := w.config.Clock.NewTicker(w.config.Interval)
	defer ticker.Stop()
	observed := newRenewals(w.config.Grace, w.config.Clock.Now())
	for {
		if condition, ok := w.check(ctx, &observed); ok && ctx.Err() == nil {
			if err := w.config.Judge(w.config.Component, condition); err != nil {
				return fmt.Errorf("components: LeaseWatch: %w", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C():
		}
	}
}

// check reads the Lease, and returns the condition that follows, false while undecided.
func (w *LeaseWatch) check(ctx context.Context, observed *renewals) (metav1.Condition, bool) {
	lease, err := w.read(ctx)
	now := w.config.Clock.Now()
	switch {
	case err == nil:
		observed.observe(lease, now)
	case apierrors.IsNotFound(err):
		err = nil // as if it was not renewed
	}
	if err != nil {
		w.failures.Failed(ctx, err, "Failed to read a Lease, retrying", "component", w.config.Component, "lease", w.config.Name)
	} else {
		w.failures.Recovered(ctx, "Read a Lease again", "component", w.config.Component, "lease", w.config.Name)
	}
	if condition, ok := w.unavailable(); ok {
		return condition, true
	}
	return observed.verdict(w.config.Component, w.config.Name, err, now)
}

// read reads the Lease from the API server's cache, which may be some seconds old.
func (w *LeaseWatch) read(ctx context.Context) (*coordinationv1.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, w.config.Timeout)
	defer cancel()
	lease, err := bounded.Call(ctx, func() (*coordinationv1.Lease, error) {
		return w.config.Client.Get(ctx, w.config.Name, metav1.GetOptions{ResourceVersion: "0"})
	})
	if err == nil && lease == nil {
		err = errors.New("the client has returned no Lease, and no error")
	}
	return lease, err
}

// unavailable returns the condition of a component whose Deployment is not available.
func (w *LeaseWatch) unavailable() (metav1.Condition, bool) {
	if w.config.Deployment == nil {
		return metav1.Condition{}, false
	}
	deployment, err := w.config.Deployment()
	if err != nil || deployment == nil {
		return metav1.Condition{}, false
	}
	for _, c := range deployment.Status.Conditions {
		if c.Type == appsv1.DeploymentAvailable && c.Status == corev1.ConditionFalse {
			return metav1.Condition{
				Type: TypeOf(w.config.Component, Available), Status: metav1.ConditionFalse, Reason: reasonDeploymentUnavailable,
				Message: oneLine("Deployment "+deployment.Name+" is not available: "+c.Message, maxMessage),
			}, true
		}
	}
	return metav1.Condition{}, false
}
