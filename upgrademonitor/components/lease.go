package components

import (
	"cmp"
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
)

const (
	leaseInterval        = time.Minute       // between two reads
	defaultLeaseDuration = 137 * time.Second // of OpenShift's operators, for a Lease without one
	maxLeaseDuration     = time.Hour
)

// LeaseConfig configures a LeaseWatch.
type LeaseConfig struct {
	// Client reads the Leases of the operator's namespace. Required.
	Client coordinationv1client.LeaseInterface
	// Component is the process that is watched, Operator or Controller: its Lease is machine-config or
	// machine-config-controller. Required.
	Component Component
	// SetPeerConditions is the method of the Reporter of the other process. Required.
	SetPeerConditions func(Component, ...metav1.Condition) error
	// Deployment returns the Deployment that runs the process, from an informer. While it is
	// not available, neither is the component, regardless of the Lease. Optional.
	Deployment func() (*appsv1.Deployment, error)
	// Grace is how much longer than its duration a Lease may go without a renewal: 1 minute by default.
	Grace time.Duration
	// Clock is the real one by default.
	Clock clock.WithTicker
}

// LeaseWatch determines from a Lease whether a process is running. Create it with NewLeaseWatch.
type LeaseWatch struct {
	config   LeaseConfig
	lease    string
	failures apierr.Log
}

// NewLeaseWatch returns a LeaseWatch. It makes no request. Invalid input is a *field.Error.
func NewLeaseWatch(config LeaseConfig) (*LeaseWatch, error) {
	path := field.NewPath("components", "LeaseConfig")
	err := validate.Required(path,
		validate.Field{Name: "Client", Value: config.Client, Hint: "pass CoordinationV1().Leases(namespace) of a clientset of client-go"},
		validate.Field{Name: "SetPeerConditions", Value: config.SetPeerConditions, Hint: "pass the SetPeerConditions of a Reporter"},
	)
	if err != nil {
		return nil, err
	}
	lease, ok := map[Component]string{Operator: "machine-config", Controller: "machine-config-controller"}[config.Component]
	if !ok {
		return nil, field.NotSupported(path.Child("Component"), config.Component, []Component{Operator, Controller})
	}
	config.Grace = cmp.Or(max(config.Grace, 0), time.Minute)
	if validate.IsNil(config.Clock) {
		config.Clock = clock.RealClock{}
	}
	return &LeaseWatch{config: config, lease: lease}, nil
}

// Run reads the Lease once a minute, and sets the Available condition of the component, until ctx ends;
// then it returns nil.
//
//  1. The component is available once a renewal was observed: the Lease has changed.
//  2. It is Unknown, LeaseExpired, if no renewal was observed for the duration of the Lease and Grace:
//     it was deleted, released or not renewed. NoData means that the Lease could not be read. Nothing is
//     set before any of these is known.
//  3. It is not available, DeploymentUnavailable, while its Deployment is not.
//  4. Only the local clock is used. The holder's may differ by any time.
//
// A Lease proves that the process is running, not that it works. Run returns an error
// if SetPeerConditions does. One goroutine calls it at a time.
func (w *LeaseWatch) Run(ctx context.Context) error {
	ticker := w.config.Clock.NewTicker(leaseInterval)
	defer ticker.Stop()
	seen := renewals{duration: defaultLeaseDuration, since: w.config.Clock.Now()}
	for {
		if available := w.available(ctx, &seen); available.Status != "" && ctx.Err() == nil {
			available.Type = TypeOf(w.config.Component, Available)
			if err := w.config.SetPeerConditions(w.config.Component, available); err != nil {
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

// available reads the Lease, and returns the Available condition, without a status while undecided.
func (w *LeaseWatch) available(ctx context.Context, seen *renewals) metav1.Condition {
	err := w.read(ctx, seen)
	if err != nil {
		w.failures.Failed(ctx, w.lease, err, "Failed to read a Lease, retrying", "component", w.config.Component, "lease", w.lease)
	} else {
		w.failures.Recovered(ctx, w.lease, "Read a Lease again", "component", w.config.Component, "lease", w.lease)
	}
	if message, ok := w.unavailable(); ok {
		return metav1.Condition{Status: metav1.ConditionFalse, Reason: reasonDeploymentUnavailable, Message: message}
	}
	now := w.config.Clock.Now()
	isExpired := now.Sub(seen.since) > seen.duration+w.config.Grace
	switch {
	case isExpired && err != nil:
		return metav1.Condition{Status: metav1.ConditionUnknown, Reason: reasonNoData, Message: fmt.Sprintf("Lease %s cannot be read: %v", w.lease, err)}
	case isExpired:
		return metav1.Condition{Status: metav1.ConditionUnknown, Reason: reasonLeaseExpired, Message: fmt.Sprintf("Lease %s has not been renewed for longer than its duration of %s", w.lease, seen.duration)}
	case seen.renewed:
		return metav1.Condition{Status: metav1.ConditionTrue, Reason: reasonAsExpected}
	default:
		return metav1.Condition{}
	}
}

// read reads the Lease from the API server's cache. One that does not exist is not renewed.
func (w *LeaseWatch) read(ctx context.Context, seen *renewals) error {
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	lease, err := w.config.Client.Get(ctx, w.lease, metav1.GetOptions{ResourceVersion: "0"})
	if err == nil {
		seen.observe(lease.Spec, w.config.Clock.Now())
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// unavailable reports whether the Deployment of the component is not available, and why.
func (w *LeaseWatch) unavailable() (string, bool) {
	if w.config.Deployment == nil {
		return "", false
	}
	deployment, err := w.config.Deployment()
	if err != nil || deployment == nil {
		return "", false
	}
	for _, c := range deployment.Status.Conditions {
		if c.Type == appsv1.DeploymentAvailable && c.Status == corev1.ConditionFalse {
			return "Deployment " + deployment.Name + " is not available: " + c.Message, true
		}
	}
	return "", false
}

// renewals are the observed renewals of a Lease. The times in it are only compared with their previous
// values, never with the local clock.
type renewals struct {
	last     *coordinationv1.LeaseSpec
	duration time.Duration
	renewed  bool      // a renewal was observed
	since    time.Time // the last renewal, or the start of the watch
}

// observe records a Lease that was just read. One without a holder was released, not renewed.
func (r *renewals) observe(spec coordinationv1.LeaseSpec, now time.Time) {
	if spec.HolderIdentity == nil || *spec.HolderIdentity == "" {
		return
	}
	if r.last != nil && (*r.last.HolderIdentity != *spec.HolderIdentity || !r.last.RenewTime.Equal(spec.RenewTime) || !r.last.AcquireTime.Equal(spec.AcquireTime)) {
		r.renewed, r.since = true, now
	}
	r.last = &spec
	if s := spec.LeaseDurationSeconds; s != nil && *s > 0 {
		r.duration = min(time.Duration(*s)*time.Second, maxLeaseDuration)
	}
}
