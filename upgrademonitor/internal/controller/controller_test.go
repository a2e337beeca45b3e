package controller_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/controller"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func newNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// TestOn: each event is a change from one state of the object to another.
func TestOn(t *testing.T) {
	var calls [][2]string
	nameOf := func(n *corev1.Node) string {
		if n == nil {
			return ""
		}
		return n.Name
	}
	handler := controller.On(nil, func(before, after *corev1.Node) { calls = append(calls, [2]string{nameOf(before), nameOf(after)}) }).Handler
	handler.OnAdd(newNode("a"), true)
	handler.OnUpdate(newNode("b"), newNode("c"))
	handler.OnDelete(newNode("d"))
	handler.OnDelete(cache.DeletedFinalStateUnknown{Key: "e", Obj: newNode("e")})
	handler.OnAdd(&corev1.Pod{}, false)
	handler.OnDelete(nil)
	handler.OnDelete(cache.DeletedFinalStateUnknown{Key: "f"})
	assert.Equal(t, [][2]string{{"", "a"}, {"b", "c"}, {"d", ""}, {"e", ""}}, calls)
}

// TestIntervalAndForget: an object waits for the Interval, unless it was deleted meanwhile.
func TestIntervalAndForget(t *testing.T) {
	var synced []string
	clock := clocktesting.NewFakeClock(time.Unix(1000, 0))
	c := controller.New(controller.Options{Interval: time.Minute, Clock: clock,
		Sync: func(_ context.Context, name string) error { synced = append(synced, name); return nil }})
	defer c.Queue.ShutDown()
	next := func(name string) []string {
		synced = nil
		c.Queue.Add(name)
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

// TestRun syncs what the informer has, retries what fails, and leaves nothing behind in an informer
// that goes on.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := kubefake.NewClientset(newNode("a"))
		factory := informers.NewSharedInformerFactory(client, 0)
		nodes := factory.Core().V1().Nodes().Informer()
		var attempts atomic.Int32
		newController := func() (c *controller.Controller) {
			c = controller.New(controller.Options{Kind: "Node", Clock: clock.RealClock{},
				Watch: func(context.Context) []controller.Source {
					return []controller.Source{controller.On(nodes, func(_, after *corev1.Node) { c.Queue.Add(after.Name) })}
				},
				Sync: func(context.Context, string) error {
					if attempts.Add(1) == 1 {
						return errors.New("no leader")
					}
					return nil
				}})
			return c
		}
		run := func(ctx context.Context) (ended chan error) {
			ended = make(chan error, 1)
			go func() { ended <- newController().Run(ctx, 0) }()
			synctest.Wait()
			return ended
		}

		ctx, cancel := context.WithCancel(t.Context())
		ended := run(ctx)
		assert.Zero(t, attempts.Load(), "the informer has not synced")
		cancel()
		assert.NoError(t, <-ended)

		host, stop := context.WithCancel(t.Context())
		factory.StartWithContext(host)
		ctx, cancel = context.WithCancel(t.Context())
		ended = run(ctx)
		assert.EqualValues(t, 1, attempts.Load())
		pass(time.Second)
		synctest.Wait()
		assert.EqualValues(t, 2, attempts.Load(), "retried once")
		cancel()
		assert.NoError(t, <-ended)
		_, err := client.CoreV1().Nodes().Create(t.Context(), newNode("b"), metav1.CreateOptions{})
		require.NoError(t, err)
		synctest.Wait()
		assert.EqualValues(t, 2, attempts.Load(), "its handler was removed")

		stop()
		factory.Shutdown()
		assert.NoError(t, <-run(host), "the informer was stopped with it")
		assert.ErrorContains(t, <-run(t.Context()), "stopped", "only the informer was stopped")
	})
}

// pass lets time pass until everything that waits for it is done.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// TestConflicts: an object is synced again with the event of the other write, and within a second where
// none comes, however long the Interval is and however often it has conflicted.
func TestConflicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var times []time.Duration
		synced := func() []time.Duration {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(times)
		}
		begin, conflicts := time.Now(), 30
		c := controller.New(controller.Options{Kind: "Node", Clock: clock.RealClock{}, Interval: 5 * time.Second,
			Watch: func(context.Context) []controller.Source { return nil },
			Sync: func(context.Context, string) error {
				mu.Lock()
				defer mu.Unlock()
				times = append(times, time.Since(begin))
				if len(times) <= conflicts {
					return apierrors.NewConflict(corev1.Resource("nodes"), "a", errors.New("modified"))
				}
				return nil
			}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx, 1) }()
		c.Queue.Add("a")
		pass(time.Minute)
		require.Len(t, synced(), conflicts+1)
		for i := range conflicts {
			assert.LessOrEqual(t, synced()[i+1]-synced()[i], time.Second)
		}

		c.Queue.Add("a")
		c.Queue.Add("a")
		pass(4 * time.Second)
		assert.Len(t, synced(), conflicts+2, "after a quiet time at once")
		c.Queue.Add("a")
		pass(500 * time.Millisecond)
		assert.Len(t, synced(), conflicts+2, "then after the Interval")
		pass(time.Second)
		assert.Len(t, synced(), conflicts+3)
		cancel()
		assert.NoError(t, <-ended)
	})
}
