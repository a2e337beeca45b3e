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
	life     context.Context         // the ctx of New; when it ends, the Monitor no longer retries or looks at the Node
	forget   context.CancelCauseFunc // ends life; nil unless Monitors created the Monitor
	failures failureLog
	looks    atomic.Int64 // how many times look was called
	lastLine sync.Once    // logs that reports are pending after the end of life

	// conditionsOnly is set in a controller. Its Monitors write only conditions, and do not look at
	// the Node between calls.
	conditionsOnly bool

	// mu guards the fields below. mu is not held during requests or calls of Config's functions.
	mu        sync.Mutex
	core      core.Core
	status    failure     // of the last attempt to write the status, or to read or create the object
	spec      failure     // of the last attempt to write the spec
	run       *run        // the run of the writer, or nil
	waiting   int         // the number of calls that wait
	asked     bool        // a call asks for an attempt although the next retry is not due
	confirmed time.Time   // when the API server last responded with success
	seen      seen        // the newest view
	timer     *time.Timer // fires at the next retry or look; nil before the first request
	lookAt    time.Time   // when the next look at the Node is due; zero before the first request
}

// New returns a Monitor. New makes no request and starts no goroutine. Until ctx ends, the Monitor
// retries pending reports, and looks at the Node every 10 seconds. Reports and Flush still work
// after ctx has ended, so ctx may be the context that ends on SIGTERM. The Monitor logs with the
// logger of ctx. If config is invalid, the error is a *field.Error.
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

var errNoContext = field.Required(field.NewPath("upgrademonitor", "ctx"), "pass the context that ends with the process")

// Pending returns the number of reports that are accepted but not written yet, and when the oldest
// of these reports was accepted, according to Config.Clock. If no report is pending, Pending
// returns 0 and the zero time. A change of the Node's config and image annotations that is not
// written yet counts as one report. Pending makes no request, so it is suitable for a metric.
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

// isOverLocked reports whether life has ended and no call waits. Then the Monitor makes no requests.
func (m *Monitor) isOverLocked() bool { return m.life.Err() != nil && m.waiting == 0 }

// wake is called when life ends, and when a call has ended its wait.
func (m *Monitor) wake() {
	m.mu.Lock()
	m.wakeLocked()
	pending := len(m.core.Entries())
	isOver := m.isOverLocked() && !errors.Is(context.Cause(m.life), errForgotten)
	m.mu.Unlock()
	if isOver && pending > 0 {
		m.lastLine.Do(func() {
			klog.FromContext(m.life).Info("Reports are pending and no longer retried: call Flush", "node", m.config.NodeName, "pending", pending)
		})
	}
}

// wakeLocked starts the writer if a write is due. Otherwise it sets the timer to the next retry or
// look. If isOverLocked returns true, it stops the timer and the writer.
func (m *Monitor) wakeLocked() {
	if m.isOverLocked() {
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

// dueLocked returns when the writer must start, or false if the writer is running or has no work.
func (m *Monitor) dueLocked() (time.Time, bool) {
	hasWork := m.run == nil && (m.core.Pending() || m.core.SpecPending())
	switch {
	case m.asked:
		return time.Time{}, hasWork
	case m.core.Pending() || m.status.retryAt.After(m.spec.retryAt):
		return m.status.retryAt, hasWork
	default:
		return m.spec.retryAt, hasWork
	}
}

// startLocked starts the writer. After the first start, the Monitor of a daemon looks at the Node.
func (m *Monitor) startLocked(now time.Time) {
	m.asked = false
	m.run = newRun(m.life)
	go m.write(m.run)
	if m.lookAt.IsZero() && !m.conditionsOnly {
		m.lookAt = now.Add(lookInterval)
	}
}

// setTimerLocked sets the timer. If at is the zero time, the timer stays as it is: tick finds that
// nothing is due.
func (m *Monitor) setTimerLocked(at, now time.Time) {
	switch {
	case at.IsZero():
	case m.timer == nil:
		m.timer = time.AfterFunc(at.Sub(now), m.tick)
	default:
		m.timer.Reset(at.Sub(now))
	}
}

// tick looks at the Node and the Lister, so that the status follows the Node even without a report,
// and a deleted object is created again. If a retry is due, tick starts the writer.
func (m *Monitor) tick() {
	if m.conditionsOnly {
		m.wake()
		return
	}
	v := m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isOverLocked() {
		return
	}
	m.seeLocked(v)
	m.core.Follow(m.now())
	m.lookAt = realClock.Now().Add(lookInterval)
	m.wakeLocked()
}
