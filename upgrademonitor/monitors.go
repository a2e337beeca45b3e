package upgrademonitor

import (
	"context"
	"errors"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/util/workqueue"
)

// retryWorkers is at how many nodes at a time Monitors.Run looks.
const retryWorkers = 4

// Monitors keeps a Monitor for each of many nodes, for a process that reports on all of
// them: the controller that drains, say. They share the clientset and the Lister. An idle
// one keeps little more than its object. It may be used from any number of goroutines. A nil
// Monitors is valid, as a nil Monitor is: its Monitors are nil.
//
//	monitors.For("worker-1").Report(ctx, phases.Drained, "Draining node", metav1.ConditionUnknown)
type Monitors struct {
	config Config
	node   func(name string) (*corev1.Node, error)

	running  chan struct{} // held, by sending to it, by the one Run
	mu       sync.Mutex    // guards what follows; a Monitor's own may be held when it is taken
	monitors map[string]*Monitor
	queue    workqueue.TypedDelayingInterface[string] // of node names; nil unless Run is running
}

// NewMonitors returns Monitors for what all nodes have in common: the config, without a
// NodeName and a Node, and a function that returns the process's current view of a node, a
// lister's Get, say. It makes no request. An invalid field is a *field.Error.
func NewMonitors(config Config, node func(name string) (*corev1.Node, error)) (*Monitors, error) {
	switch {
	case node == nil:
		return nil, field.Required(configPath.Child("Node"), "pass a function that returns the view of a Node by its name")
	case config.NodeName != "":
		return nil, field.Forbidden(configPath.Child("NodeName"), "leave it empty: For names the node")
	case config.Node != nil:
		return nil, field.Forbidden(configPath.Child("Node"), "leave it nil: the view of a Node is the second argument")
	}
	m := &Monitors{config: config, node: node, running: make(chan struct{}, 1), monitors: map[string]*Monitor{}}
	if _, err := m.make("any"); err != nil {
		return nil, err
	}
	return m, nil
}

// For returns the Monitor of a node, one and the same until Forget. That of a name that no Node can
// have rejects every report with a *field.Error.
func (m *Monitors) For(nodeName string) *Monitor {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if monitor, ok := m.monitors[nodeName]; ok {
		return monitor
	}
	monitor, err := m.make(nodeName)
	if err != nil {
		return &Monitor{config: Config{NodeName: nodeName}.withDefaults(), invalid: err}
	}
	m.monitors[nodeName] = monitor
	if m.queue != nil {
		m.queue.Add(nodeName)
	}
	return monitor
}

// Forget drops the Monitor of a node: Run does not try any more what it has pending. Call it when the
// Node is deleted.
func (m *Monitors) Forget(nodeName string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	monitor := m.monitors[nodeName]
	delete(m.monitors, nodeName)
	m.mu.Unlock()
	if monitor != nil {
		monitor.mu.Lock()
		monitor.group = nil
		monitor.mu.Unlock()
	}
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

// Run is Monitor.Run for all nodes, those that are added later included, until ctx ends. A second Run
// waits for the end of the first.
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
	queue := workqueue.NewTypedDelayingQueue[string]()
	m.setQueue(queue)
	for name := range m.all() {
		queue.Add(name)
	}
	var workers sync.WaitGroup
	for range retryWorkers {
		workers.Go(func() {
			for m.retryNext(ctx, queue) {
			}
		})
	}
	<-ctx.Done()
	m.setQueue(nil)
	queue.ShutDown()
	workers.Wait()
	for _, monitor := range m.all() {
		monitor.countRuns(ctx, 0)
	}
	return nil
}

// retryNext looks at the next node. It returns false when there are no more.
func (m *Monitors) retryNext(ctx context.Context, queue workqueue.TypedDelayingInterface[string]) bool {
	name, shutdown := queue.Get()
	if shutdown {
		return false
	}
	defer queue.Done(name)
	m.mu.Lock()
	monitor, ok := m.monitors[name]
	m.mu.Unlock()
	if ok && ctx.Err() == nil {
		queue.AddAfter(name, monitor.retry(ctx))
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
	monitor.group = m
	return monitor, nil
}

func (m *Monitors) all() map[string]*Monitor {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.monitors)
}

func (m *Monitors) setQueue(queue workqueue.TypedDelayingInterface[string]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue = queue
}

// isRun reports whether Run is running.
func (m *Monitors) isRun() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.queue != nil
}

// wake has Run look at a node at once.
func (m *Monitors) wake(nodeName string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.queue != nil {
		m.queue.Add(nodeName)
	}
}
