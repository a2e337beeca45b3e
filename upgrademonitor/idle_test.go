package upgrademonitor_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// idle is Monitors of which each has reported once, and has nothing to do.
type idle struct {
	*upgrademonitor.Monitors
	names    []string
	timers   *clocktesting.FakeClock
	requests atomic.Int64
	lister   *countedLister
	looked   chan struct{} // received from after Run has looked at all objects
}

func newIdle(t *testing.T, nodes int, withLister bool) *idle {
	t.Helper()
	i := &idle{timers: clocktesting.NewFakeClock(start), looked: make(chan struct{})}
	server := newCanned(t)
	clientset, err := mcfgclientset.NewForConfig(&rest.Config{Host: "http://canned", QPS: -1,
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			i.requests.Add(1)
			return server.RoundTrip(r)
		})})
	require.NoError(t, err)
	config := upgrademonitor.Config{Client: clientset}
	upgrademonitor.SetTimers(&config, i.timers)
	upgrademonitor.SetRealClock(&config, i.timers)
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	if withLister {
		i.lister = &countedLister{MachineConfigNodeLister: mcfglisters.NewMachineConfigNodeLister(indexer), idle: i}
		config.Lister = i.lister
	}
	i.Monitors, err = upgrademonitor.NewMonitors(config, func(name string) (*corev1.Node, error) {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
	})
	require.NoError(t, err)
	object := updatedObject(t)
	for n := range nodes {
		i.names = append(i.names, fmt.Sprintf("worker-%d", n))
		object.Name = i.names[n]
		require.NoError(t, indexer.Add(object.DeepCopy()))
	}
	return i
}

func (i *idle) report(t *testing.T) {
	t.Helper()
	for _, name := range i.names {
		m, err := i.Get(name)
		require.NoError(t, err)
		require.NoError(t, m.ReportDegraded(t.Context(), io.ErrUnexpectedEOF))
	}
}

// countedLister counts what Run looks at.
type countedLister struct {
	mcfglisters.MachineConfigNodeLister
	idle    *idle
	running atomic.Bool
	looks   int
}

func (l *countedLister) Get(name string) (*mcfgv1.MachineConfigNode, error) {
	if l.running.Load() {
		if l.looks++; l.looks%len(l.idle.names) == 0 {
			l.idle.looked <- struct{}{}
		}
	}
	return l.MachineConfigNodeLister.Get(name)
}

// bytes returns what Monitors keep of each node after a report.
func (i *idle) bytes(t *testing.T) uint64 {
	t.Helper()
	heap := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	i.report(t)
	return (heap() - before) / uint64(len(i.names))
}

// An idle Monitor keeps its object, and no goroutine or timer: only Run and calls wait. The limits
// of the heap leave room for the race detector.
func TestIdleMonitors(t *testing.T) {
	for _, tc := range []struct {
		withLister bool
		most       uint64
	}{{false, 6_500}, {true, 4_500}} {
		i := newIdle(t, 500, tc.withLister)
		goroutines := runtime.NumGoroutine()
		each := i.bytes(t)
		t.Logf("%d bytes a node, with a Lister %t", each, tc.withLister)
		assert.LessOrEqual(t, each, tc.most)
		assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
		assert.Zero(t, i.timers.Waiters())
		runtime.KeepAlive(i)
	}
}

// The Run of Monitors has as many goroutines and timers for 10,000 nodes as for one, and makes no
// request.
func TestRunOfIdleMonitors(t *testing.T) {
	for _, tc := range []struct{ nodes, looks int }{{10_000, 6}, {100, 360}} {
		t.Run(fmt.Sprint(tc.nodes), func(t *testing.T) {
			i := newIdle(t, tc.nodes, true)
			each := i.bytes(t)
			requests, goroutines := i.requests.Load(), runtime.NumGoroutine()
			i.lister.running.Store(true)
			run(t, i.Run)
			receive(t, i.looked, "Run has looked at the Lister")
			for range tc.looks {
				i.timers.Step(10 * time.Second)
				receive(t, i.looked, "Run has looked at the Lister again")
			}
			t.Logf("%d bytes a node, %d goroutines, %d timers", each, runtime.NumGoroutine()-goroutines, i.timers.Waiters())
			assert.LessOrEqual(t, each, uint64(4_500))
			assert.LessOrEqual(t, runtime.NumGoroutine()-goroutines, 6, "Run, its workers and their queue")
			assert.LessOrEqual(t, i.timers.Waiters(), 2, "of the Lister and of the queue")
			assert.Equal(t, requests, i.requests.Load())
		})
	}
}

// A Monitor that has nothing to write makes no request in an hour, and waits for nothing but the
// Lister.
func TestRunOfAnIdleMonitor(t *testing.T) {
	i := newIdle(t, 1, true)
	i.report(t)
	requests := i.requests.Load()
	m, err := i.Get(i.names[0])
	require.NoError(t, err)
	i.lister.running.Store(true)
	run(t, m.Run)
	require.NoError(t, wait.PollUntilContextTimeout(t.Context(), time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		return i.timers.HasWaiters(), nil
	}))
	for range 360 {
		i.timers.Step(10 * time.Second)
		receive(t, i.looked, "Run has looked at the Lister")
	}
	assert.Equal(t, 1, i.timers.Waiters())
	assert.Equal(t, requests, i.requests.Load())
}
