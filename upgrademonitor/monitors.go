package upgrademonitor

import (
	"context"
	"errors"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
)

// Monitors keeps a Monitor for each of many nodes, for a process that reports on all of
// them: the controller that drains, say. They share the clientset and the Lister. An idle
// one keeps little more than its object. It may be used from any number of goroutines. A nil
// Monitors is valid, as a nil Monitor is: its Monitors are nil.
type Monitors struct {
	config Config
	node   func(name string) (*corev1.Node, error)

	// mu guards the fields below. A Monitor takes it while it holds none of its own.
	mu       sync.Mutex
	monitors map[string]*Monitor
	retries  map[retryQueue]struct{} // of node names, one for each Run
}

// NewMonitors returns Monitors for what all nodes have in common: the config, without its
// NodeName and Node, and a function that returns the process's current view of a node, a
// lister's Get, say. It makes no request. An invalid field is a *field.Error.
func NewMonitors(config Config, node func(name string) (*corev1.Node, error)) (*Monitors, error) {
	if node == nil {
		return nil, field.Required(configPath.Child("Node"), "pass a function that returns the view of a Node by its name")
	}
	m := &Monitors{config: config, node: node, monitors: map[string]*Monitor{}, retries: map[retryQueue]struct{}{}}
	if _, err := m.make("any"); err != nil {
		return nil, err
	}
	m.config = config.withDefaults()
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
func (m *Monitors) Report(ctx context.Context, nodeName string, phase phases.Phase, status metav1.ConditionStatus, message string, opts ...ReportOption) {
	if m == nil {
		return
	}
	monitor, err := m.Get(nodeName)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Failed to report a phase of the update", "node", nodeName, "phase", phase, "status", status)
		return
	}
	monitor.Report(ctx, phase, status, message, opts...)
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
		if monitor.store.head() == nil {
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

func (m *Monitors) make(nodeName string) (*Monitor, error) {
	config := m.config
	config.NodeName = nodeName
	config.Node = func() (*corev1.Node, error) { return m.node(nodeName) }
	return newMonitor(config, func() { m.retry(nodeName) })
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
