package components_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
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

// watched is a running LeaseWatch of the controller's Lease, and what it has judged.
type watched struct {
	stop func()

	mu     sync.Mutex
	judged []metav1.Condition
}

func watchLease(t *testing.T, client coordinationv1client.LeaseInterface, change ...func(*components.LeaseConfig)) *watched {
	t.Helper()
	w := &watched{}
	config := components.LeaseConfig{Client: client, Component: components.Controller}
	config.Judge = func(_ components.Component, list ...metav1.Condition) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.judged = append(w.judged, list...)
		return nil
	}
	for _, c := range change {
		c(&config)
	}
	watch, err := components.NewLeaseWatch(config)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- watch.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		assert.NoError(t, <-ended)
	})
	t.Cleanup(w.stop)
	synctest.Wait()
	return w
}

// last is the status and the reason of the last judgement.
func (w *watched) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.judged) == 0 {
		return ""
	}
	c := w.judged[len(w.judged)-1]
	return string(c.Status) + " " + c.Reason
}

// TestADeploymentThatIsNotAvailable takes precedence over the Lease.
func TestADeploymentThatIsNotAvailable(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *memory) {
		renewed := &leases{renewed: map[string]metav1.MicroTime{}}
		deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "machine-config-controller"}}
		var failed error
		w := watchLease(t, renewed, func(c *components.LeaseConfig) {
			c.Deployment = func() (*appsv1.Deployment, error) { return deployment, failed }
		})
		look := func(status corev1.ConditionStatus) string {
			if deployment != nil {
				deployment.Status.Conditions = []appsv1.DeploymentCondition{
					{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse},
					{Type: appsv1.DeploymentAvailable, Status: status, Message: "no minimum\navailability"},
				}
			}
			renewed.renew(components.ControllerLease)
			pass(time.Minute)
			return w.last()
		}
		assert.Equal(t, "False DeploymentUnavailable", look(corev1.ConditionFalse))
		want := "Deployment machine-config-controller is not available: no minimum availability"
		assert.Equal(t, components.TypeOf(components.Controller, components.Available), w.judged[0].Type)
		assert.Equal(t, want, w.judged[0].Message)
		assert.Equal(t, "True AsExpected", look(corev1.ConditionTrue))
		assert.Equal(t, "True AsExpected", look(corev1.ConditionUnknown), "the Lease decides")
		failed = apierrors.NewNotFound(appsv1.Resource("deployments"), "x")
		assert.Equal(t, "True AsExpected", look(corev1.ConditionFalse), "cannot be read")
		deployment, failed = nil, nil
		assert.Equal(t, "True AsExpected", look(corev1.ConditionFalse), "there is none")
	})
}

// leaseRequests records the requests, and answers when their context ends.
type leaseRequests struct {
	coordinationv1client.LeaseInterface // no other method is called

	names, versions []string
	took            []time.Duration
}

func (l *leaseRequests) Get(ctx context.Context, name string, options metav1.GetOptions) (*coordinationv1.Lease, error) {
	began := time.Now()
	<-ctx.Done()
	l.names, l.versions, l.took = append(l.names, name), append(l.versions, options.ResourceVersion), append(l.took, time.Since(began))
	return nil, ctx.Err()
}

// TestTheReadOfALease is from the API server's cache, and within Timeout.
func TestTheReadOfALease(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *memory) {
		usual, short := &leaseRequests{}, &leaseRequests{}
		w := watchLease(t, usual)
		other := watchLease(t, short, func(c *components.LeaseConfig) { c.Timeout = 2 * time.Second })
		pass(30 * time.Second)
		w.stop()
		other.stop()
		assert.Equal(t, []string{components.ControllerLease}, usual.names)
		assert.Equal(t, []string{"0"}, usual.versions)
		assert.Equal(t, []time.Duration{components.DefaultTimeout}, usual.took)
		assert.Equal(t, []time.Duration{2 * time.Second}, short.took)
	})
}
