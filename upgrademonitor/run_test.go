package upgrademonitor_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// run runs a Monitor, or Monitors, until the end of the test.
func run(t *testing.T, runs func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- runs(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, receive(t, ended, "Run has ended"))
	})
}

// A report that was pending when Run started is written without another call.
func TestRunWritesWhatWasPendingBefore(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.failing("patch", errDown)
	require.ErrorIs(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, f.Run(ended), "a Run that receives the wake-up, and ends")

	written := make(chan struct{}, 10)
	f.reactor("patch", func() (bool, error) { written <- struct{}{}; return false, nil })
	run(t, f.Run)
	receive(t, written, "Run has written")
}

// If one of two Monitors.Run ends, the other writes what is pending.
func TestTwoRunsOfMonitors(t *testing.T) {
	clientset := mcfgfake.NewClientset()
	monitors := newMonitors(t, clientset)
	first, endFirst := context.WithCancel(t.Context())
	firstEnded := make(chan error)
	run(t, monitors.Run)
	go func() { firstEnded <- monitors.Run(first) }()
	require.NoError(t, cordon(t, monitors, "worker-0"))
	endFirst()
	require.NoError(t, receive(t, firstEnded, "the first Run has ended"))

	written := make(chan struct{}, 10)
	var failed atomic.Bool
	clientset.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		if failed.CompareAndSwap(false, true) {
			return true, nil, errDown
		}
		written <- struct{}{}
		return false, nil, nil
	})
	monitor, err := monitors.Get("worker-0")
	require.NoError(t, err)
	require.ErrorIs(t, monitor.ReportDegraded(t.Context(), errors.New("disk full")), upgrademonitor.ErrPending)
	receive(t, written, "Run has written")
}

// If one of two Runs of a Monitor ends, the other writes what is pending.
func TestTwoRunsOfAMonitor(t *testing.T) {
	upgrademonitor.SetRetryDelay(t, time.Millisecond)
	for range 10 { // either of them may have been woken
		f := newFixture(t)
		f.reportUpdated(t)
		var down atomic.Bool
		down.Store(true)
		requests := make(chan bool, 1000) // whether it succeeded
		f.clientset.PrependReactor("*", resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			failed := down.Load()
			requests <- !failed
			return failed, nil, errDown
		})
		first, endFirst := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- f.Run(first) }()
		run(t, f.Run)
		require.ErrorIs(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
		receive(t, requests, "the request of the call")
		receive(t, requests, "the request of a Run")
		endFirst()
		require.NoError(t, receive(t, ended, "Run has ended"))
		down.Store(false)
		for !receive(t, requests, "a request of the other Run") {
		}
	}
}

// A call that finds the queue full tries to write first: the API server may be back.
func TestFullQueueIsWrittenFirst(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	down := f.outage(errDown)
	var err error
	for i := 0; !errors.Is(err, upgrademonitor.ErrQueueFull); i++ {
		require.Less(t, i, 2000)
		f.annotate(oldConfig, fmt.Sprintf("rendered-worker-%d", i)) // no two reports are equal
		err = f.tryReport(t, phases.Updated, []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionTrue}[i%2])
	}
	require.ErrorIs(t, f.tryReport(t, phases.Resumed, metav1.ConditionTrue), upgrademonitor.ErrQueueFull)
	down.Store(false)
	require.NotErrorIs(t, f.tryReport(t, phases.Resumed, metav1.ConditionTrue), upgrademonitor.ErrQueueFull, "without Run, and without Flush")
	require.NoError(t, f.Flush(t.Context()))
}

// Reports reach a server that takes longer than Timeout.
func TestServerSlowerThanTheTimeout(t *testing.T) {
	const timeout = 20 * time.Millisecond
	node := annotated(oldConfig, oldConfig)
	server := &slowServer{RoundTripper: &cannedServer{object: updatedObject(t)}, delay: 4 * timeout}
	m := monitorOn(t, server, &node, func(c *upgrademonitor.Config) { c.Timeout = timeout })
	require.ErrorIs(t, m.ReportDegraded(t.Context(), errors.New("disk full")), upgrademonitor.ErrPending)
	require.NoError(t, m.Flush(t.Context()))
}

// slowServer answers after a delay.
type slowServer struct {
	http.RoundTripper
	delay time.Duration
}

func (s *slowServer) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(s.delay):
	case <-r.Context().Done():
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return s.RoundTripper.RoundTrip(r)
}

// One node that fails starves no other.
func TestFlushOfMonitorsIsConcurrent(t *testing.T) {
	const nodes = 20
	clientset := mcfgfake.NewClientset()
	var down atomic.Bool
	down.Store(true)
	clientset.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if named, ok := a.(interface{ GetName() string }); ok && named.GetName() == "worker-0" {
			return true, nil, errDown // always
		}
		return down.Load(), nil, errDown
	})
	monitors := newMonitors(t, clientset)
	for i := range nodes {
		require.ErrorIs(t, cordon(t, monitors, fmt.Sprintf("worker-%d", i)), upgrademonitor.ErrPending)
	}
	down.Store(false)
	ctx, cancel := context.WithCancel(t.Context())
	flushed := make(chan error, 1)
	go func() { flushed <- monitors.Flush(ctx) }()
	require.Eventually(t, func() bool {
		pending := 0
		for i := range nodes {
			m, err := monitors.Get(fmt.Sprintf("worker-%d", i))
			assert.NoError(t, err)
			pending += upgrademonitor.QueueLen(m)
		}
		return pending == 1
	}, time.Minute, 10*time.Millisecond)
	cancel()
	err := receive(t, flushed, "Flush has returned")
	require.ErrorIs(t, err, upgrademonitor.ErrPending)
	assert.Contains(t, err.Error(), "worker-0")
	assert.NotContains(t, err.Error(), "worker-1")
	list, err := clientset.MachineconfigurationV1().MachineConfigNodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, list.Items, nodes-1)
}

// A pending write of the spec blocks no write of the status.
func TestDeniedSpecBlocksNoReport(t *testing.T) {
	for name, cause := range map[string]error{
		"denied":  apierrors.NewForbidden(resource, nodeName, errors.New("RBAC")),
		"failing": apierrors.NewInternalError(errors.New("the webhook of the spec is down")),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.reportUpdated(t)
			f.annotate(oldConfig, newConfig)
			var denied atomic.Bool
			denied.Store(true)
			f.clientset.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
				return denied.Load() && a.GetSubresource() == "", nil, cause
			})
			require.ErrorIs(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()), upgrademonitor.ErrPending)
			f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
			assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.NodeDegraded).Status)

			denied.Store(false)
			require.NoError(t, f.Flush(t.Context()))
			assert.Equal(t, newConfig, f.object(t).Spec.ConfigVersion.Desired, "it was kept")
		})
	}
}

// A begin continues if its write of the spec fails.
func TestBeginWithADeniedSpec(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.clientset.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return a.GetSubresource() == "", nil, apierrors.NewForbidden(resource, nodeName, errors.New("RBAC"))
	})
	var log logLines
	ctx := log.context(t.Context())
	require.NoError(t, f.GenerateAndApplyMachineConfigNode(ctx, phases.Updated, "Updated", "", metav1.ConditionFalse))
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.UpdatePrepared).Status)
	assert.Len(t, log.take(), 1, "and it is logged")
}

// A panic of a function of Config leaves no uncounted entry in the queue.
func TestPanicsAreCounted(t *testing.T) {
	f := newFixture(t, func(c *upgrademonitor.Config) {
		c.Pool = func(*corev1.Node) (string, error) { panic("cache is nil") }
	})
	for i := range 600 {
		func() {
			defer func() { _ = recover() }()
			_ = f.tryReport(t, phases.Updated, []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse}[i%2])
		}()
	}
	assert.LessOrEqual(t, upgrademonitor.QueueLen(f.Monitor), 256)
}

// A call returns within its timeout, however many callers wait.
func TestManyCallersOfAServerThatHangs(t *testing.T) {
	const timeout = 100 * time.Millisecond
	node := annotated(oldConfig, oldConfig)
	server := &hangingServer{RoundTripper: &cannedServer{object: updatedObject(t)}, release: make(chan struct{})}
	m := monitorOn(t, server, &node, func(c *upgrademonitor.Config) { c.Timeout = timeout })
	var callers sync.WaitGroup
	for i := range 300 {
		callers.Go(func() {
			err := m.GenerateAndApplyMachineConfigNode(t.Context(), phases.NodeDegraded, "NodeDegraded", fmt.Sprint("cause ", i), metav1.ConditionTrue)
			assert.True(t, errors.Is(err, upgrademonitor.ErrPending) || errors.Is(err, upgrademonitor.ErrQueueFull), "%v", err)
		})
	}
	callers.Wait()
	close(server.release)
	require.NoError(t, m.Flush(t.Context()))
}

// Flush retries until ctx ends.
func TestFlushDoesNotGiveUp(t *testing.T) {
	upgrademonitor.SetRetryDelay(t, time.Millisecond)
	f := newFixture(t)
	f.reportUpdated(t)
	f.failing("patch", errDown, errDown, errDown, errDown, errDown, errDown)
	require.ErrorIs(t, f.tryReport(t, phases.Drained, metav1.ConditionUnknown), upgrademonitor.ErrPending)
	require.NoError(t, f.Flush(t.Context()))
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.Drained).Status)
}
