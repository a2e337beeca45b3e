package upgrademonitor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// Monitors has a Monitor for each node. Use it in a controller that reports on many nodes, such as the
// drain controller. It is safe for concurrent use. The method For of a nil *Monitors returns a nil
// Monitor.
//
//	monitors.For("worker-1").Report(ctx, phases.Drained, "Draining node", metav1.ConditionUnknown)
//
// These Monitors write only conditions, and never start an update. The daemon of the node creates the
// MachineConfigNode, starts its updates, and writes the spec, the owner reference, and the configs and
// images in the status.
//
//  1. While an update is under way, a report belongs to this update, also if the Node already desires
//     another config or image.
//  2. While no update is under way, a step that runs only during an update (Cordoned, Drained, …) is not
//     accepted: GenerateAndApplyMachineConfigNode returns an error that wraps ErrNoUpdate. Report logs
//     it once, until a report on the node is accepted.
//  3. Uncordoned, Resumed, UpdateComplete and NodeDegraded are accepted at any time. If the
//     MachineConfigNode does not exist, they stay queued, and are retried.
//  4. GenerateAndApplyMachineConfigNodeSpec returns an error, and ReportPinnedImageSets logs an error.
type Monitors struct {
	life   context.Context
	config Config
	node   func(name string) (*corev1.Node, error)

	mu       sync.Mutex // guards monitors
	monitors map[string]*Monitor
}

// NewMonitors returns Monitors that share a config. The function node returns the Node with the given
// name, for example from a lister. It replaces NodeName and Node of config, which must be empty. The
// argument ctx and the error are as in New.
func NewMonitors(ctx context.Context, config Config, node func(name string) (*corev1.Node, error)) (*Monitors, error) {
	switch {
	case ctx == nil:
		return nil, errNoContext
	case node == nil:
		return nil, field.Required(configPath.Child("Node"),
			"pass a function that returns the Node with the given name, for example from a lister")
	case config.NodeName != "":
		return nil, field.Forbidden(configPath.Child("NodeName"),
			"leave NodeName empty: pass the name of the node to Monitors.For")
	case config.Node != nil:
		return nil, field.Forbidden(configPath.Child("Node"),
			"leave Node nil: pass the function as the third argument of NewMonitors")
	}
	m := &Monitors{life: ctx, config: config, node: node, monitors: map[string]*Monitor{}}
	if _, _, err := m.configOf("any").complete(); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Monitors) configOf(nodeName string) Config {
	config := m.config
	config.NodeName = nodeName
	config.Node = func() (*corev1.Node, error) { return m.node(nodeName) }
	return config
}

// For returns the Monitor of a node. Until Forget is called for the node, For returns the same Monitor.
// If nodeName is invalid, the Monitor rejects every report with an error that wraps a *field.Error.
func (m *Monitors) For(nodeName string) *Monitor {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if monitor, ok := m.monitors[nodeName]; ok {
		return monitor
	}
	life, endLife := context.WithCancel(m.life)
	monitor, err := newMonitor(life, m.configOf(nodeName), true)
	if err != nil {
		endLife()
		// Config.Node returns err, so that every report is rejected without a request.
		config := m.configOf(nodeName)
		config.Node = func() (*corev1.Node, error) { return nil, err }
		config.Clock = realClock
		return &Monitor{config: config, life: m.life, core: planner.Core{IsController: true}}
	}
	monitor.endLife = endLife
	m.monitors[nodeName] = monitor
	return monitor
}

// Forget removes the Monitor of a node. This Monitor then no longer retries its reports. Call
// Forget when the Node is deleted.
func (m *Monitors) Forget(nodeName string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	monitor, ok := m.monitors[nodeName]
	delete(m.monitors, nodeName)
	m.mu.Unlock()
	if ok {
		monitor.endLife()
	}
}

// Flush calls Monitor.Flush for all nodes in parallel, and returns the joined errors.
func (m *Monitors) Flush(ctx context.Context) error {
	var flushes sync.WaitGroup
	all := m.all()
	errs := make([]error, len(all))
	for i, monitor := range all {
		flushes.Go(func() { errs[i] = monitor.Flush(ctx) })
	}
	flushes.Wait()
	return errors.Join(errs...)
}

// Pending returns the number of pending reports of all nodes, and the time at which the oldest of them
// was accepted. See Monitor.Pending.
func (m *Monitors) Pending() (n int, since time.Time) {
	for _, monitor := range m.all() {
		pending, oldest := monitor.Pending()
		if pending > 0 && (n == 0 || oldest.Before(since)) {
			since = oldest
		}
		n += pending
	}
	return n, since
}

func (m *Monitors) all() []*Monitor {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.monitors))
}
