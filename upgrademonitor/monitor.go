package upgrademonitor

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
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
	endLife  context.CancelCauseFunc // ends life; nil unless Monitors created this Monitor
	failures failureLog
	looks    atomic.Int64 // how many times look was called

	logPendingOnce sync.Once // for the log line about reports that are pending when life ends

	// conditionsOnly is set if Monitors created this Monitor. It writes only conditions, and does not
	// look at the Node between calls.
	conditionsOnly bool

	// mu guards the fields below. mu is not held during requests or calls of Config's functions.
	mu          sync.Mutex
	core        core.Core
	status      failure     // the outage of status writes, reads and creations
	spec        failure     // the outage of spec writes
	run         *run        // the running writer goroutine, or nil
	waiting     int         // the number of calls that wait
	attemptNow  bool        // set if the writer must start now, even if the next retry is not due
	lastSuccess time.Time   // the time of the API server's last successful response
	newest      newestView  // describes the newest view
	timer       *time.Timer // fires at the next retry or look; nil before the first request
	lookAt      time.Time   // the time of the next look; zero before the first request
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
	}
	context.AfterFunc(ctx, m.wake)
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

// isStoppedLocked reports whether life has ended and no call waits. A stopped Monitor makes no
// requests.
func (m *Monitor) isStoppedLocked() bool { return m.life.Err() != nil && m.waiting == 0 }

// wake calls wakeLocked. If the Monitor has stopped and reports are pending, wake logs that once. It
// is called when life ends, and when a call stops waiting.
func (m *Monitor) wake() {
	m.mu.Lock()
	m.wakeLocked()
	pending := len(m.core.Entries())
	isStopped := m.isStoppedLocked()
	m.mu.Unlock()
	if isStopped && pending > 0 {
		message := "Reports are pending and no longer retried: call Flush"
		if errors.Is(context.Cause(m.life), errForgotten) {
			message = "Reports of a forgotten node are pending and no longer retried"
		}
		m.logPendingOnce.Do(func() {
			klog.FromContext(m.life).Info(message, "node", m.config.NodeName, "pending", pending)
		})
	}
}

// wakeLocked starts the writer if a write is due, and sets the timer to the next retry or look. If
// the Monitor has stopped, wakeLocked stops the timer and the writer.
func (m *Monitor) wakeLocked() {
	if m.isStoppedLocked() {
		if m.timer != nil {
			m.timer.Stop()
		}
		if m.run != nil {
			m.run.cancel()
		}
		return
	}
	now := realClock.Now()
	due, hasWork := m.dueLocked()
	if hasWork && !now.Before(due) {
		m.startLocked(now)
		hasWork = false
	}
	at := m.lookAt
	if hasWork && (at.IsZero() || due.Before(at)) {
		at = due
	}
	m.setTimerLocked(at, now)
}

// dueLocked returns the time at which the writer must start. It returns false if the writer is
// running or has no work.
func (m *Monitor) dueLocked() (time.Time, bool) {
	hasWork := m.run == nil && (m.core.Pending() || m.core.SpecPending())
	switch {
	case m.attemptNow:
		return time.Time{}, hasWork
	case m.core.Pending() || m.status.retryAt.After(m.spec.retryAt):
		return m.status.retryAt, hasWork
	default:
		return m.spec.retryAt, hasWork
	}
}

// startLocked starts the writer. The first start in a daemon also schedules the first look.
func (m *Monitor) startLocked(now time.Time) {
	m.attemptNow = false
	m.run = newRun(m.life)
	go m.write(m.run)
	if m.lookAt.IsZero() && !m.conditionsOnly {
		m.lookAt = now.Add(lookInterval)
	}
}

// setTimerLocked sets the timer to fire at the time at. If at is zero, the timer stays as it is: if it
// fires, tick finds that nothing is due.
func (m *Monitor) setTimerLocked(at, now time.Time) {
	switch {
	case at.IsZero():
	case m.timer == nil:
		m.timer = time.AfterFunc(at.Sub(now), m.tick)
	default:
		m.timer.Reset(at.Sub(now))
	}
}

// tick is called when the timer fires. In a daemon, tick looks at the Node and the Lister, so that the
// status follows the Node even without a report, and a deleted object is created again. If a retry is
// due, tick starts the writer.
func (m *Monitor) tick() {
	if m.conditionsOnly {
		m.wake()
		return
	}
	v := m.look()
	m.failures.Local(m.life, "Node", v.err,
		"Failed to get the Node, so its configs and images are not written", "The Node is known again")
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isStoppedLocked() {
		return
	}
	m.recordViewLocked(v)
	m.core.Follow(m.now())
	m.lookAt = realClock.Now().Add(lookInterval)
	m.wakeLocked()
}
