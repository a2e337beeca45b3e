package controller_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/controller"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/handlers"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func name(key string) string { return key }

// TestIntervalAndForget: a key waits for the Interval, unless its object was deleted meanwhile.
func TestIntervalAndForget(t *testing.T) {
	var synced []string
	clock := clocktesting.NewFakeClock(time.Unix(1000, 0))
	c := controller.New(controller.Options[string]{Object: name, Interval: time.Minute, Clock: clock,
		Sync: func(_ context.Context, key string) error { synced = append(synced, key); return nil }})
	defer c.Queue.ShutDown()
	next := func(key string) []string {
		synced = nil
		c.Queue.Add(key)
		require.True(t, c.ProcessNext(t.Context()))
		return synced
	}
	assert.Equal(t, []string{"a"}, next("a"))
	assert.Empty(t, next("a"), "within the Interval")
	assert.Equal(t, []string{"b"}, next("b"))
	c.Forget("a")
	assert.Equal(t, []string{"a"}, next("a"), "another object of that name")
	clock.SetTime(time.Unix(0, 0))
	assert.Equal(t, []string{"b"}, next("b"), "the clock was set back")
}

// TestRun syncs what the informer has, retries what fails, and leaves nothing behind.
func TestRun(t *testing.T) {
	client := kubefake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	factory := informers.NewSharedInformerFactory(client, 0)
	nodes := factory.Core().V1().Nodes().Informer()
	ctx, cancel := context.WithCancel(t.Context())
	attempts := make(chan string)
	failed := errors.New("no leader")
	var c *controller.Controller[string]
	c = controller.New(controller.Options[string]{Object: name, Kind: "Node", Clock: clocktesting.NewFakeClock(time.Now()),
		Watch: func(ctx context.Context, set *handlers.Set) error {
			return set.Add(ctx, nodes, handlers.Funcs[*corev1.Node]{Add: func(n *corev1.Node) { c.Queue.Add(n.Name) }})
		},
		Sync: func(_ context.Context, key string) error {
			attempts <- key
			defer func() { failed = nil }()
			return failed
		}})
	factory.StartWithContext(ctx)
	result := make(chan error)
	go func() { result <- c.Run(ctx, 0) }()
	assert.Equal(t, "a", <-attempts)
	require.Eventually(t, func() bool { return c.Queue.NumRequeues("a") == 1 }, 10*time.Second, time.Millisecond)
	c.Queue.Add("a")
	assert.Equal(t, "a", <-attempts)
	require.Eventually(t, func() bool { return c.Queue.NumRequeues("a") == 0 }, 10*time.Second, time.Millisecond, "the backoff starts again")

	cancel()
	assert.NoError(t, <-result)
	factory.Shutdown()
	assert.False(t, c.ProcessNext(t.Context()), "the queue has ended")
	assert.ErrorContains(t, controller.New(controller.Options[string]{Clock: clocktesting.NewFakeClock(time.Now()),
		Watch: func(ctx context.Context, set *handlers.Set) error {
			return set.Add(ctx, nodes, handlers.Funcs[*corev1.Node]{})
		}}).Run(t.Context(), 1), "stopped", "an informer that has ended")
}
