package upgrademonitor

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
)

// Monitor reports the updates of one node on its MachineConfigNode. Create a Monitor with New. A
// Monitor is safe for concurrent use. Reports are written in the order in which they were accepted.
//
// A nil Monitor accepts every report, writes nothing and returns no error. Use a nil Monitor in a
// daemon without a client, or on a cluster without the CRD.
type Monitor struct {
	config   Config
	client   *scope.Client
	life     context.Context         // the ctx of New; after it ends, there are no retries and no regular looks
	endLife  context.CancelCauseFunc // cancels life; nil unless Monitors created this Monitor
	failures failureLog

	// conditionsOnly is set if Monitors created this Monitor. Then the Monitor writes only
	// conditions, and does not look at the Node between calls.
	conditionsOnly bool

	// mu guards the fields below. mu is not held during requests or calls of Config's functions.
	mu          sync.Mutex
	core        core.Core
	status      failure       // the outage of status writes, reads and creations
	spec        failure       // the outage of spec writes
	run         *run          // the running writer goroutine, or nil
	waiting     int           // the number of calls that wait
	failed      chan struct{} // closed at the next failure
	lastSuccess time.Time     // the time of the API server's last successful response
	recorded    time.Time     // the time when look last passed a view to the core
	nodeVersion string        // the resourceVersion of the Node in this view
	retryTimer  *time.Timer   // fires at the next retry; nil before the first failure
	lookTimer   *time.Timer   // fires at the next look; nil before the first request, and in a controller
}

// New returns a Monitor. New makes no request and starts no goroutine. Until ctx ends, the Monitor
// retries pending reports and, after its first request, calls Config.Node every 10 seconds. Reports
// and Flush still work after ctx has ended, so ctx may be a context that ends on SIGTERM. The Monitor
// logs with the logger of ctx. If config is invalid, the error is a *field.Error.
func New(ctx context.Context, config Config) (*Monitor, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	client, err := scope.NewClient(config.Client, config.NodeName, config.FieldManager)
	if err != nil {
		return nil, field.Invalid(configPath.Child("NodeName"), config.NodeName, err.Error())
	}
	m := &Monitor{
		config:   config,
		client:   client,
		life:     ctx,
		failures: failureLog{values: []any{"node", config.NodeName}},
		failed:   make(chan struct{}),
	}
	context.AfterFunc(ctx, m.tick)
	return m, nil
}

var errNoContext = field.Required(field.NewPath("upgrademonitor", "ctx"),
	"pass the context that ends with the process")

// Pending returns the number of reports that are accepted but not written yet, and the time at which
// the oldest of them was accepted. Config.Clock provides this time. If no report is pending, Pending
// returns 0 and the zero time. An unwritten change of the Node's config and image annotations counts
// as one report. Pending makes no request, so it is suitable for a metric.
func (m *Monitor) Pending() (n int, since time.Time) {
	if m == nil {
		return 0, time.Time{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	entries := m.core.Entries()
	if len(entries) == 0 {
		return 0, time.Time{}
	}
	return len(entries), entries[0].Change.Accepted().Time
}

// wakeLocked starts the writer if a write is pending and due. If the write is not due, wakeLocked sets
// the timer of the next retry. attemptNow makes a pending write due now. If the ctx of New has ended
// and no call waits, wakeLocked stops the writer.
func (m *Monitor) wakeLocked(attemptNow bool) {
	if m.life.Err() != nil && m.waiting == 0 {
		m.stopLocked()
		return
	}
	isPending := m.core.Pending() || m.core.SpecPending()
	if m.run != nil || !isPending {
		return
	}
	pause := m.retryAtLocked().Sub(realClock.Now())
	switch {
	case attemptNow || pause <= 0:
		m.startLocked()
	case m.retryTimer == nil:
		m.retryTimer = time.AfterFunc(pause, m.tick)
	default:
		m.retryTimer.Reset(pause)
	}
}

// stopLocked cancels the writer. If reports are pending, stopLocked logs that once.
func (m *Monitor) stopLocked() {
	if m.run != nil {
		m.run.cancel()
	}
	pending := len(m.core.Entries())
	if pending == 0 || !m.failures.isNew("life", "") {
		return
	}
	message := "Reports are pending and no longer retried: call Flush"
	if errors.Is(context.Cause(m.life), errForgotten) {
		message = "Reports of a forgotten node are pending and no longer retried"
	}
	klog.FromContext(m.life).Info(message, "node", m.config.NodeName, "pending", pending)
}

// retryAtLocked returns the time of the next retry. If only the spec is pending, this is the later
// of the retries of the spec and the status, because a failed read counts as a failure of the
// status.
func (m *Monitor) retryAtLocked() time.Time {
	if !m.core.Pending() && m.spec.retryAt.After(m.status.retryAt) {
		return m.spec.retryAt
	}
	return m.status.retryAt
}

// startLocked starts the writer. The first start in a daemon also schedules the first look.
func (m *Monitor) startLocked() {
	m.run = newRun(m.life)
	go m.write(m.run)
	if m.lookTimer == nil && !m.conditionsOnly {
		m.lookTimer = time.AfterFunc(lookInterval, m.tick)
	}
}

// tick is called when a timer fires, and when the ctx of New ends. It starts the writer if a retry is
// due. In a daemon, tick first looks at the Node and the Lister, so that the status follows the Node
// even without a report, and a deleted object is created again. After the ctx of New has ended, tick
// does not look.
func (m *Monitor) tick() {
	looks := m.life.Err() == nil && !m.conditionsOnly
	if looks {
		v := m.look()
		m.failures.Local(m.life, "Node", v.err,
			"Failed to get the Node, so its configs and images are not written", "The Node is known again")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if looks && m.life.Err() == nil {
		m.core.Follow(m.now())
		m.lookTimer.Reset(lookInterval)
	}
	m.wakeLocked(false)
}
