package upgrademonitor

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
)

// retryWorkers is at how many nodes at a time Monitors.Run tries to write what is pending.
const retryWorkers = 4

// Monitors keeps a Monitor for each of many nodes, for a process that reports on all of
// them: the controller that drains, say. They share the clientset and the Lister. An idle
// one keeps little more than its object. It may be used from any number of goroutines. A nil
// Monitors is valid, as a nil Monitor is: its Monitors are nil.
type Monitors struct {
	config Config
	node   func(name string) (*corev1.Node, error)

	running  chan struct{} // held, by sending to it, by the one Run
	mu       sync.Mutex    // guards what follows
	monitors map[string]*Monitor
	queue    workqueue.TypedRateLimitingInterface[string] // of node names; nil unless Run is running
}

// NewMonitors returns Monitors for what all nodes have in common: the config, without its
// NodeName and Node, and a function that returns the process's current view of a node, a
// lister's Get, say. It makes no request. An invalid field is a *field.Error.
func NewMonitors(config Config, node func(name string) (*corev1.Node, error)) (*Monitors, error) {
	if node == nil {
		return nil, field.Required(configPath.Child("Node"), "pass a function that returns the view of a Node by its name")
	}
	m := &Monitors{config: config, node: node, running: make(chan struct{}, 1), monitors: map[string]*Monitor{}}
	if _, err := m.make("any"); err != nil {
		return nil, err
	}
	return m, nil
}

// Get returns the Monitor of a node, and makes it at the first call. A name that no Node
// can have is a *field.Error.
func (m *Monitors) Get(nodeName string) (*Monitor, error) {
	if m == nil {
		return nil, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if monitor, ok := m.monitors[nodeName]; ok {
		return monitor, nil
	}
	monitor, err := m.make(nodeName)
	if err != nil {
		return nil, err
	}
	m.monitors[nodeName] = monitor
	return monitor, nil
}

// Report is Monitor.Report of a node: one line a call site, errors are logged.
func (m *Monitors) Report(ctx context.Context, nodeName string, phase phases.Phase, message string, status metav1.ConditionStatus, opts ...ReportOption) {
	monitor, err := m.Get(nodeName)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Failed to report a phase of the update", "node", nodeName, "phase", phase, "status", status)
		return
	}
	monitor.Report(ctx, phase, message, status, opts...)
}

// Forget drops the Monitor of a node, with its pending reports. Call it when the Node is
// deleted.
func (m *Monitors) Forget(nodeName string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.monitors, nodeName)
}

// Flush is Monitor.Flush for all nodes at once. It returns the errors of those that have
// something pending when ctx ends, joined.
func (m *Monitors) Flush(ctx context.Context) error {
	if m == nil {
		return nil
	}
	var (
		flushes sync.WaitGroup
		mu      sync.Mutex // guards errs
		errs    []error
	)
	for _, monitor := range m.all() {
		if !monitor.isPending() {
			continue
		}
		flushes.Go(func() {
			err := monitor.Flush(ctx)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	flushes.Wait()
	return errors.Join(errs...)
}

// Run is Monitor.Run for all nodes, those that are added later included: it writes what is
// pending, a few nodes at a time, until ctx ends. A second Run waits for the end of the first.
func (m *Monitors) Run(ctx context.Context) error {
	if m == nil {
		<-ctx.Done()
		return nil
	}
	select {
	case m.running <- struct{}{}:
		defer func() { <-m.running }()
	case <-ctx.Done():
		return nil
	}
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](retryBackoff.Duration, retryBackoff.Cap))
	m.setQueue(queue)
	defer m.setQueue(nil)

	var workers sync.WaitGroup
	for range retryWorkers {
		workers.Go(func() {
			for m.processNextItem(ctx, queue) {
			}
		})
	}
	for name, monitor := range m.all() {
		if monitor.isPending() {
			queue.Add(name)
		}
	}
	var tick <-chan time.Time
	if m.config.Lister != nil {
		ticker := time.NewTicker(listerInterval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick:
			for _, monitor := range m.all() {
				monitor.recreate(ctx)
			}
		}
	}
	queue.ShutDown()
	workers.Wait()
	return nil
}

// processNextItem makes one attempt at the next node. It returns false when there are no more.
func (m *Monitors) processNextItem(ctx context.Context, queue workqueue.TypedRateLimitingInterface[string]) bool {
	name, shutdown := queue.Get()
	if shutdown {
		return false
	}
	defer queue.Done(name)
	m.mu.Lock()
	monitor, ok := m.monitors[name]
	m.mu.Unlock()
	if !ok || !monitor.isPending() {
		queue.Forget(name)
		return true
	}
	progress, err := monitor.writePending(ctx)
	if progress || err == nil {
		queue.Forget(name)
	}
	if err != nil {
		queue.AddRateLimited(name)
	}
	return true
}

func (m *Monitors) make(nodeName string) (*Monitor, error) {
	config := m.config
	config.NodeName = nodeName
	config.Node = func() (*corev1.Node, error) { return m.node(nodeName) }
	monitor, err := New(config)
	if err != nil {
		return nil, err
	}
	wake := monitor.wake
	monitor.wake = func() {
		wake()
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.queue != nil {
			m.queue.Add(nodeName)
		}
	}
	return monitor, nil
}

func (m *Monitors) all() map[string]*Monitor {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.monitors)
}

func (m *Monitors) setQueue(queue workqueue.TypedRateLimitingInterface[string]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue = queue
}
