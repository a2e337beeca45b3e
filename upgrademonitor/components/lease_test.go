package components

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func lease(holder string, renewed time.Time) *coordinationv1.Lease {
	duration, at := int32(137), metav1.NewMicroTime(renewed)
	return &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &at, LeaseDurationSeconds: &duration}}
}

// watched returns the verdicts of a watch that reads a Lease once a minute; nil is a missing Lease.
func watched(minutes int, at func(minute int) *coordinationv1.Lease) (verdicts []string) {
	r := newRenewals(DefaultGrace, epoch)
	for m := range minutes {
		now := epoch.Add(time.Duration(m) * time.Minute)
		if l := at(m); l != nil {
			r.observe(l, now)
		}
		c, ok := r.verdict(Controller, ControllerLease, nil, now)
		if !ok {
			c.Status, c.Reason = "undecided", ""
		}
		verdicts = append(verdicts, string(c.Status)+" "+c.Reason)
	}
	return verdicts
}

// TestLease watches for eight minutes: 137 seconds and 60 of grace are over in the fourth.
func TestLease(t *testing.T) {
	const undecided, available, expired = "undecided ", "True AsExpected", "Unknown LeaseExpired"
	minute := func(m int) time.Time { return epoch.Add(time.Duration(m) * time.Minute) }
	for name, tc := range map[string]struct {
		at   func(m int) *coordinationv1.Lease
		want []string
	}{
		"renewed": {
			func(m int) *coordinationv1.Lease { return lease("a", minute(m)) },
			[]string{undecided, available, available, available, available, available, available, available},
		},
		"the holder's clock is an hour ahead": {
			func(m int) *coordinationv1.Lease { return lease("a", minute(m+60)) },
			[]string{undecided, available, available, available, available, available, available, available},
		},
		"the holder's clock is an hour behind": {
			func(m int) *coordinationv1.Lease { return lease("a", minute(m-60)) },
			[]string{undecided, available, available, available, available, available, available, available},
		},
		"frozen from the start": {
			func(int) *coordinationv1.Lease { return lease("a", epoch) },
			[]string{undecided, undecided, undecided, undecided, expired, expired, expired, expired},
		},
		"frozen in the future": {
			func(int) *coordinationv1.Lease { return lease("a", minute(600)) },
			[]string{undecided, undecided, undecided, undecided, expired, expired, expired, expired},
		},
		"frozen later": {
			func(m int) *coordinationv1.Lease { return lease("a", minute(min(m, 2))) },
			[]string{undecided, available, available, available, available, available, expired, expired},
		},
		"released": {
			func(m int) *coordinationv1.Lease {
				if m < 3 {
					return lease("a", minute(m))
				}
				l, second := lease("", minute(m)), int32(1)
				l.Spec.LeaseDurationSeconds = &second
				return l
			},
			[]string{undecided, available, available, available, available, available, expired, expired},
		},
		"deleted": {
			func(m int) *coordinationv1.Lease {
				if m < 3 {
					return lease("a", minute(m))
				}
				return nil
			},
			[]string{undecided, available, available, available, available, available, expired, expired},
		},
		"never existed": {
			func(int) *coordinationv1.Lease { return nil },
			[]string{undecided, undecided, undecided, undecided, expired, expired, expired, expired},
		},
		"taken over": {
			func(m int) *coordinationv1.Lease {
				if m < 5 {
					return lease("a", epoch)
				}
				return lease("b", minute(m))
			},
			[]string{undecided, undecided, undecided, undecided, expired, available, available, available},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, watched(8, tc.at))
		})
	}
}

func TestALeaseThatCannotBeRead(t *testing.T) {
	r := newRenewals(DefaultGrace, epoch)
	forbidden := errors.New("leases is forbidden")
	_, ok := r.verdict(Operator, OperatorLease, forbidden, epoch.Add(time.Minute))
	assert.False(t, ok, "undecided")
	c, ok := r.verdict(Operator, OperatorLease, forbidden, epoch.Add(4*time.Minute))
	assert.True(t, ok)
	assert.Equal(t, "NoData", c.Reason, "it is not known to be expired")
	assert.Equal(t, "Lease machine-config cannot be read: leases is forbidden", c.Message)
}

func TestLeaseDurations(t *testing.T) {
	for seconds, want := range map[int32]time.Duration{0: defaultLeaseDuration, -5: defaultLeaseDuration, 15: 15 * time.Second, 1 << 30: maxLeaseDuration} {
		r, l := newRenewals(0, epoch), lease("a", epoch)
		l.Spec.LeaseDurationSeconds = &seconds
		r.observe(l, epoch)
		assert.Equal(t, want, r.duration)
	}
	r := newRenewals(0, epoch)
	r.observe(&coordinationv1.Lease{}, epoch)
	assert.False(t, r.known, "no holder")
	r.since = epoch.Add(time.Hour)
	assert.False(t, r.expired(epoch), "the clock was set back")
	assert.True(t, r.expired(epoch.Add(defaultLeaseDuration+time.Second)), "expiry does not wait for that hour again")
}
