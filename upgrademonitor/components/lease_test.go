package components_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// oneLease is read once a minute.
type oneLease struct {
	coordinationv1client.LeaseInterface // no other method is called

	read func(minute int) (*coordinationv1.Lease, error)

	mu    sync.Mutex
	reads int
}

func (l *oneLease) Get(_ context.Context, name string, options metav1.GetOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	if name != "machine-config-controller" || options.ResourceVersion != "0" {
		return nil, errors.New("not a read of the controller's Lease from the API server's cache")
	}
	return l.read(l.reads - 1)
}

// watch returns the conditions that a LeaseWatch sets in each of some minutes.
func watch(t *testing.T, minutes int, read func(minute int) (*coordinationv1.Lease, error), change ...func(*components.LeaseConfig)) []metav1.Condition {
	t.Helper()
	var mu sync.Mutex
	set, list := metav1.Condition{}, []metav1.Condition{}
	config := components.LeaseConfig{Client: &oneLease{read: read}, Component: components.Controller, SetPeerConditions: func(c components.Component, conditions ...metav1.Condition) error {
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, components.Controller, c)
		set = conditions[0]
		return nil
	}}
	for _, c := range change {
		c(&config)
	}
	w, err := components.NewLeaseWatch(config)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- w.Run(ctx) }()
	pass(0)
	for range minutes {
		mu.Lock()
		list, set = append(list, set), metav1.Condition{}
		mu.Unlock()
		pass(time.Minute)
	}
	cancel()
	assert.NoError(t, <-ended)
	return list
}

func lease(holder string, renewed time.Time) *coordinationv1.Lease {
	duration, at := int32(137), metav1.NewMicroTime(renewed)
	return &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &at, LeaseDurationSeconds: &duration}}
}

func at(minute int) time.Time { return noon.Add(time.Duration(minute) * time.Minute) }

// TestLease watches for eight minutes: 137 seconds and 60 of grace are over in the fourth.
func TestLease(t *testing.T) {
	const undecided, available, expired, noData = " ", "True AsExpected", "Unknown LeaseExpired", "Unknown NoData"
	renewed := []string{undecided, available, available, available, available, available, available, available}
	never := []string{undecided, undecided, undecided, undecided, expired, expired, expired, expired}
	until2 := []string{undecided, available, available, available, available, available, expired, expired}
	notFound := apierrors.NewNotFound(coordinationv1.Resource("leases"), "machine-config-controller")
	for name, tc := range map[string]struct {
		read func(m int) (*coordinationv1.Lease, error)
		want []string
	}{
		"renewed":                {func(m int) (*coordinationv1.Lease, error) { return lease("a", at(m)), nil }, renewed},
		"a clock an hour ahead":  {func(m int) (*coordinationv1.Lease, error) { return lease("a", at(m+60)), nil }, renewed},
		"a clock an hour behind": {func(m int) (*coordinationv1.Lease, error) { return lease("a", at(m-60)), nil }, renewed},
		"frozen":                 {func(int) (*coordinationv1.Lease, error) { return lease("a", at(0)), nil }, never},
		"frozen in the future":   {func(int) (*coordinationv1.Lease, error) { return lease("a", at(600)), nil }, never},
		"frozen later":           {func(m int) (*coordinationv1.Lease, error) { return lease("a", at(min(m, 2))), nil }, until2},
		"never existed":          {func(int) (*coordinationv1.Lease, error) { return nil, notFound }, never},
		"without a holder":       {func(m int) (*coordinationv1.Lease, error) { return lease("", at(m)), nil }, never},
		"without anything":       {func(int) (*coordinationv1.Lease, error) { return &coordinationv1.Lease{}, nil }, never},
		"released": {func(m int) (*coordinationv1.Lease, error) {
			return lease(map[bool]string{true: "a"}[m < 3], at(m)), nil
		}, until2},
		"cannot be read": {func(int) (*coordinationv1.Lease, error) { return nil, errors.New("forbidden") }, []string{undecided, undecided, undecided, undecided, noData, noData, noData, noData}},
		"deleted": {func(m int) (*coordinationv1.Lease, error) {
			if m < 3 {
				return lease("a", at(m)), nil
			}
			return nil, notFound
		}, until2},
		"taken over": {func(m int) (*coordinationv1.Lease, error) {
			return lease(map[bool]string{true: "a", false: "b"}[m < 5], at(0)), nil
		}, []string{undecided, undecided, undecided, undecided, expired, available, available, available}},
		"cannot be read for a while": {func(m int) (*coordinationv1.Lease, error) {
			if m == 2 || m == 3 {
				return nil, errors.New("forbidden")
			}
			return lease("a", at(m)), nil
		}, renewed},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, _ *memory) {
				var got []string
				for _, c := range watch(t, 8, tc.read) {
					got = append(got, string(c.Status)+" "+c.Reason)
				}
				assert.Equal(t, tc.want, got)
			})
		})
	}
}

// TestLeaseDurations: that of the Lease is valid, up to an hour.
func TestLeaseDurations(t *testing.T) {
	for seconds, minutes := range map[int32]int{0: 4, -5: 4, 15: 2, 600: 12, 1 << 30: 62} {
		inBubble(t, func(t *testing.T, _ *memory) {
			list := watch(t, 65, func(int) (*coordinationv1.Lease, error) {
				l := lease("a", at(0))
				l.Spec.LeaseDurationSeconds = &seconds
				return l, nil
			})
			assert.Empty(t, list[minutes-1].Status, "%d", seconds)
			assert.Equal(t, "LeaseExpired", list[minutes].Reason, "%d", seconds)
		})
	}
}

// TestADeploymentThatIsNotAvailable takes precedence over the Lease.
func TestADeploymentThatIsNotAvailable(t *testing.T) {
	deployment := func(status corev1.ConditionStatus) *appsv1.Deployment {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "machine-config-controller"}}
		d.Status.Conditions = []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse},
			{Type: appsv1.DeploymentAvailable, Status: status, Message: "no minimum availability"},
		}
		return d
	}
	for name, tc := range map[string]struct {
		deployment *appsv1.Deployment
		err        error
		want       string
	}{
		"not available":  {deployment(corev1.ConditionFalse), nil, "False DeploymentUnavailable Deployment machine-config-controller is not available: no minimum availability"},
		"available":      {deployment(corev1.ConditionTrue), nil, "True AsExpected "},
		"unknown":        {deployment(corev1.ConditionUnknown), nil, "True AsExpected "},
		"cannot be read": {deployment(corev1.ConditionFalse), errors.New("no"), "True AsExpected "},
		"there is none":  {nil, nil, "True AsExpected "},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, _ *memory) {
				list := watch(t, 2, func(m int) (*coordinationv1.Lease, error) { return lease("a", at(m)), nil }, func(c *components.LeaseConfig) {
					c.Deployment = func() (*appsv1.Deployment, error) { return tc.deployment, tc.err }
				})
				assert.Equal(t, tc.want, string(list[1].Status)+" "+list[1].Reason+" "+list[1].Message)
				assert.Equal(t, controllerAvailable, list[1].Type)
			})
		})
	}
}
