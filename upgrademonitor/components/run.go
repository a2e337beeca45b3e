package components

import (
	"context"
	"slices"
	"strings"
	"time"

	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

const (
	objectName = "cluster"

	// minInterval is the minimum time between two writes, and the maximum time between two reads
	// from the Lister.
	minInterval    = 30 * time.Second
	maxInterval    = 10 * time.Minute
	quiet          = time.Hour // after this time without a write, minInterval applies again
	requestTimeout = 10 * time.Second
)

// Run writes the conditions until ctx ends. Then it returns nil. Only Run makes requests. Call Run
// once, while this process is the leader. ctx must not end later than the ctx of the steps. Otherwise Run would write
// the errors of steps that were canceled.
//
//  1. Run waits until the Lister has the object and Config.Ready returns true. It never creates the
//     object. It reads the conditions of an earlier process, and keeps an error of that process until
//     this process has succeeded.
//  2. If a condition of this process differs from the object, also because another client has changed
//     it, one apply writes all conditions of this process.
//  3. The minimum interval between two writes is 30 seconds, and doubles with each write, up to 10
//     minutes. After an hour without a write, Run writes the next change at once. A request without a
//     response counts as a write.
//  4. If the API server rejects a write, Run retries after 10 minutes, otherwise after 30 seconds. Run
//     logs a failure when its cause changes, and when it is over.
func (r *Reporter) Run(ctx context.Context) error {
	if r == nil {
		<-ctx.Done()
		return nil
	}
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

// sync computes the conditions, and writes them if they differ from the object. The object may be older
// than the last write. Then the same write is made again, which changes nothing.
func (r *Reporter) sync(ctx context.Context) {
	mc, err := r.config.Lister.Get(objectName)
	r.log(ctx, "Waiting for a MachineConfiguration", err)
	if err != nil || r.config.Ready != nil && !r.config.Ready(mc) {
		return
	}
	now := r.config.Clock.Now()
	r.mu.Lock()
	if r.desired == nil {
		r.desired = mc.Status.Conditions
		r.tracker.readAt = now
	}
	r.desired = r.tracker.conditions(r.desired, mc.CreationTimestamp.Time, now)
	r.mu.Unlock()
	if !isInSync(mc.Status.Conditions, r.desired) && !now.Before(r.next) {
		r.write(ctx, now)
	}
}

func isInSync(list, desired []metav1.Condition) bool {
	return !slices.ContainsFunc(desired, func(d metav1.Condition) bool {
		c := find(list, d.Type)
		c.ObservedGeneration = d.ObservedGeneration // not written
		return !equality.Semantic.DeepEqual(c, d)
	})
}

// write applies the desired conditions by force, because only this process should write them.
func (r *Reporter) write(ctx context.Context, now time.Time) {
	request, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	status := applyoperatorv1.MachineConfigurationStatus()
	for _, c := range r.desired {
		status.WithConditions(applymetav1.Condition().
			WithType(c.Type).WithStatus(c.Status).WithReason(c.Reason).WithMessage(c.Message).
			WithLastTransitionTime(c.LastTransitionTime))
	}
	object := applyoperatorv1.MachineConfiguration(objectName).WithStatus(status)
	options := metav1.ApplyOptions{FieldManager: r.config.FieldManager, Force: true}
	_, err := r.config.Client.ApplyStatus(request, object, options)
	switch {
	case err == nil, ctx.Err() == nil && request.Err() != nil: // a write without a response may have succeeded
		if now.Sub(r.last) >= quiet {
			r.backoff = wait.Backoff{Duration: minInterval, Factor: 2, Steps: 10, Cap: maxInterval}
		}
		r.last, r.next = now, now.Add(r.backoff.Step())
	case ctx.Err() != nil:
		return
	case isRejected(err):
		r.next = now.Add(maxInterval)
	default:
		r.next = now.Add(minInterval)
	}
	r.log(ctx, "Failed to write the conditions of a component", err)
}

func (r *Reporter) log(ctx context.Context, message string, err error) {
	logger := klog.FromContext(ctx).WithValues("name", objectName, "component", r.config.Component)
	r.failures.Log(logger, message, message, err)
}

// isRejected reports whether a request will fail again until an administrator grants a permission,
// repairs the object or installs the CRD, for example because the CRD lacks a field.
func isRejected(err error) bool {
	outcome := apierr.Classify(err)
	isTransient := outcome == apierr.Retry || outcome == apierr.Conflict
	return !isTransient || strings.Contains(err.Error(), "not declared in schema")
}
