package components

import (
	"context"
	"slices"
	"strings"
	"time"

	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/wait"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

const (
	objectName = "cluster"

	minInterval    = 30 * time.Second // between two writes, and between two reads from the Lister
	maxInterval    = 10 * time.Minute
	quiet          = time.Hour // without a write, until minInterval applies again
	requestTimeout = 10 * time.Second
)

// Run writes the conditions until ctx ends, then returns nil. No other method makes requests. Call
// it once, while this process is the leader.
//
//  1. Run starts from the conditions that an earlier process wrote.
//  2. Nothing is written before the Lister has the object, or while Ready returns false. The object
//     is never created.
//  3. One apply writes all conditions of this process, if any of them differs from the object.
//  4. The first change after an hour without a write is written at once. The interval between two
//     writes is 30 seconds, doubled with each write up to 10 minutes; a write has the latest
//     conditions. If another client removes or reverts a condition, it is written again, at the
//     same intervals.
//  5. If the API server rejects a write, Run retries after 10 minutes; after any other failure,
//     after 30 seconds. Each cause of a failure is logged once.
func (r *Reporter) Run(ctx context.Context) error {
	ticker := r.config.Clock.NewTicker(minInterval)
	defer ticker.Stop()
	for {
		r.sync(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-r.wake:
		case <-ticker.C():
		}
	}
}

// sync computes the conditions, and writes them if they differ from the object.
func (r *Reporter) sync(ctx context.Context) {
	mc, err := r.config.Lister.Get(objectName)
	if err != nil {
		if apierrors.IsNotFound(err) {
			r.next = time.Time{} // a new object is written at once
		}
		r.failures.Failed(ctx, "read", err, "Waiting for a MachineConfiguration", "name", objectName)
		return
	}
	r.failures.Recovered(ctx, "read", "Found the MachineConfiguration", "name", objectName)
	if !r.config.Ready(mc) {
		return
	}
	now := r.config.Clock.Now()
	r.mu.Lock()
	if r.desired == nil {
		r.desired, r.tracker.taken = mc.Status.Conditions, now
	}
	r.desired = r.tracker.conditions(r.desired, mc.CreationTimestamp.Time, now)
	r.mu.Unlock()
	if order, err := resourceversion.CompareResourceVersion(mc.ResourceVersion, r.written.ResourceVersion); err == nil && order < 0 {
		mc = r.written // the informer lags
	}
	if !isInSync(mc.Status.Conditions, r.desired) && !now.Before(r.next) {
		r.write(ctx, now)
	}
}

func isInSync(list, desired []metav1.Condition) bool {
	return !slices.ContainsFunc(desired, func(d metav1.Condition) bool {
		c := meta.FindStatusCondition(list, d.Type)
		return c == nil || c.Status != d.Status || c.Reason != d.Reason || c.Message != d.Message || !c.LastTransitionTime.Equal(&d.LastTransitionTime)
	})
}

// write applies the desired conditions by force: no other process writes them.
func (r *Reporter) write(ctx context.Context, now time.Time) {
	request, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	status := applyoperatorv1.MachineConfigurationStatus()
	for _, c := range r.desired {
		status.WithConditions(applymetav1.Condition().WithType(c.Type).WithStatus(c.Status).WithReason(c.Reason).WithMessage(c.Message).
			WithLastTransitionTime(c.LastTransitionTime))
	}
	object := applyoperatorv1.MachineConfiguration(objectName).WithStatus(status)
	mc, err := r.config.Client.ApplyStatus(request, object, metav1.ApplyOptions{FieldManager: r.config.FieldManager, Force: true})
	switch {
	case err == nil:
		if now.Sub(r.last) >= quiet {
			r.backoff = wait.Backoff{Duration: minInterval, Factor: 2, Steps: 10, Cap: maxInterval}
		}
		r.written, r.last, r.next = mc, now, now.Add(r.backoff.Step())
		r.failures.Recovered(ctx, "write", "Wrote the conditions of a component again")
		return
	case ctx.Err() != nil:
		return
	case isRejected(err):
		r.next = now.Add(maxInterval)
	default:
		r.next = now.Add(minInterval)
	}
	r.failures.Failed(ctx, "write", err, "Failed to write the conditions of a component, retrying")
}

// isRejected reports whether the request fails until an administrator grants a permission, repairs
// the object or installs the CRD. If the CRD lacks a field, the API server responds with 500; after
// any other 500, a retry may succeed.
func isRejected(err error) bool {
	outcome := apierr.Classify(err)
	return outcome != apierr.Retry && outcome != apierr.Conflict || strings.Contains(err.Error(), "not declared in schema")
}
