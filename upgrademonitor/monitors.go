package upgrademonitor

import (
	"context"
	"errors"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
)

// retryWorkers is at how many nodes at a time Monitors.Run tries to write what is pending.
const retryWorkers = 4

type retryQueue = workqueue.TypedDelayingInterface[string]

// Monitors keeps a Monitor for each of many nodes, for a process that reports on all of
// them: the controller that drains, say. They share the clientset and the Lister. An idle
// one keeps little more than its object. It may be used from any number of goroutines.
type Monitors struct {
	config Config
	node   func(name string) (*corev1.Node, error)

	mu       sync.Mutex
	monitors map[string]*Monitor
	retries  retryQueue // of node names, while Run runs
}

// NewMonitors makes Monitors from what all nodes have in common: the config, less its
// NodeName and Node, and a function that returns the process's current view of a node, a
// lister's Get, say. It makes no request. A field that cannot be used gives a *ConfigError.
func NewMonitors(config Config, node func(name string) (*corev1.Node, error)) (*Monitors, error) {
	if node == nil {
		return nil, &ConfigError{Field: "Node", Problem: "is nil: pass a function that returns the view of a Node by its name"}
	}
	m := &Monitors{config: config, node: node, monitors: map[string]*Monitor{}}
	if _, err := m.make("any"); err != nil {
		return nil, err
	}
	return m, nil
}

// For returns the Monitor of a node, and makes it at the first call. A name that no Node
// can have gives a *ConfigError.
func (m *Monitors) For(nodeName string) (*Monitor, error) {
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

// Forget drops the Monitor of a node that is gone, with what is pending on it. Call it when
// the Node is deleted.
func (m *Monitors) Forget(nodeName string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.monitors, nodeName)
}

// Flush is Monitor.Flush for all nodes. It returns the errors of those that have something
// pending when ctx ends, joined.
func (m *Monitors) Flush(ctx context.Context) error {
	var errs []error
	for _, monitor := range m.all() {
		errs = append(errs, monitor.Flush(ctx))
	}
	return errors.Join(errs...)
}

// Run is Monitor.Run for all nodes, those that come later included: it writes what is
// pending, a few nodes at a time, until ctx ends.
func (m *Monitors) Run(ctx context.Context) error {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](retryBackoff.Duration, retryBackoff.Cap)
	retries := workqueue.NewTypedDelayingQueue[string]()
	m.setRetries(nil, retries)
	defer m.setRetries(retries, nil)

	var workers sync.WaitGroup
	for range retryWorkers {
		workers.Go(func() {
			for m.retry(ctx, retries, limiter) {
			}
		})
	}
	for name, monitor := range m.all() {
		if monitor.head() != nil {
			retries.Add(name)
		}
	}
	<-ctx.Done()
	retries.ShutDown()
	workers.Wait()
	return nil
}

// retry makes one attempt at the next node. It returns false when there are no more.
func (m *Monitors) retry(ctx context.Context, retries retryQueue, limiter workqueue.TypedRateLimiter[string]) bool {
	name, shutdown := retries.Get()
	if shutdown {
		return false
	}
	defer retries.Done(name)
	monitor, ok := m.get(name)
	if !ok || monitor.flush(ctx) == nil {
		limiter.Forget(name)
		return true
	}
	retries.AddAfter(name, wait.Jitter(limiter.When(name), retryBackoff.Jitter))
	return true
}

// setRetries has pending tell another Run, or none. One that ends leaves it to the one that
// has taken over, where there is one.
func (m *Monitors) setRetries(from, to retryQueue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if from == nil || m.retries == from {
		m.retries = to
	}
}

// pending has Run see to a node.
func (m *Monitors) pending(nodeName string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.retries != nil {
		m.retries.Add(nodeName)
	}
}

func (m *Monitors) make(nodeName string) (*Monitor, error) {
	config := m.config
	config.NodeName = nodeName
	config.Node = func() (*corev1.Node, error) { return m.node(nodeName) }
	monitor, err := New(config)
	if err != nil {
		return nil, err
	}
	monitor.onPending = func() { m.pending(nodeName) }
	return monitor, nil
}

func (m *Monitors) get(nodeName string) (*Monitor, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	monitor, ok := m.monitors[nodeName]
	return monitor, ok
}

func (m *Monitors) all() map[string]*Monitor {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.monitors)
}
