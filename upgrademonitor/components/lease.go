package components

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The default applies to a Lease without a valid duration, the maximum to all.
const (
	defaultLeaseDuration = 137 * time.Second // of OpenShift's operators
	maxLeaseDuration     = time.Hour
)

// renewals observes the renewals of a Lease. It relies on the local clock alone: the times in the Lease
// are only compared with their previous values, never with now. It is not safe for concurrent use.
type renewals struct {
	grace time.Duration

	known    bool
	last     coordinationv1.LeaseSpec
	duration time.Duration
	renewed  bool      // a renewal was observed
	since    time.Time // the last renewal, or the begin of the watch
}

func newRenewals(grace time.Duration, now time.Time) renewals {
	return renewals{grace: grace, duration: defaultLeaseDuration, since: now}
}

// observe records a Lease that was just read. One without a holder was released, not renewed.
func (r *renewals) observe(lease *coordinationv1.Lease, now time.Time) {
	spec := lease.Spec
	if spec.HolderIdentity == nil || *spec.HolderIdentity == "" {
		return
	}
	if r.known && !sameRenewal(r.last, spec) {
		r.renewed, r.since = true, now
	}
	r.known, r.last = true, spec
	if s := spec.LeaseDurationSeconds; s != nil && *s > 0 {
		r.duration = min(time.Duration(*s)*time.Second, maxLeaseDuration)
	}
}

// expired reports whether no renewal was observed for the duration of the Lease and the grace.
func (r *renewals) expired(now time.Time) bool {
	r.since = earlier(r.since, now)
	return now.Sub(r.since) > r.duration+r.grace
}

func sameRenewal(a, b coordinationv1.LeaseSpec) bool {
	return *a.HolderIdentity == *b.HolderIdentity && a.RenewTime.Equal(b.RenewTime) && a.AcquireTime.Equal(b.AcquireTime)
}

// verdict returns the Available condition of the component that holds the Lease, false while undecided.
// err is that of the last read, nil if the Lease was read or does not exist.
func (r *renewals) verdict(c Component, name string, err error, now time.Time) (metav1.Condition, bool) {
	available := metav1.Condition{Type: TypeOf(c, Available), Status: metav1.ConditionTrue, Reason: reasonAsExpected}
	switch expired := r.expired(now); {
	case !expired:
		return available, r.renewed
	case err != nil:
		available.Status, available.Reason = metav1.ConditionUnknown, reasonNoData
		available.Message = oneLine(fmt.Sprintf("Lease %s cannot be read: %v", name, err), maxMessage)
	default:
		available.Status, available.Reason = metav1.ConditionUnknown, reasonLeaseExpired
		available.Message = oneLine(fmt.Sprintf("Lease %s has not been renewed for longer than its duration of %s", name, r.duration), maxMessage)
	}
	return available, true
}
