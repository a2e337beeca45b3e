package upgrademonitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/machine"
)

// Monitor reports the updates of one node on its MachineConfigNode. Create a Monitor with New. A
// Monitor is safe for concurrent use. Reports are written in the order in which they were accepted.
//
// A nil Monitor accepts every report, writes nothing and returns no error. Use a nil Monitor in a
// daemon without a client, or on a cluster without the CRD.
type Monitor struct {
	config  Config
	client  *scope.Client
	life    context.Context    // the ctx of New; after it ends, there are no retries and no regular looks
	endLife context.CancelFunc // nil unless Monitors created this Monitor
	logged  sync.Map           // the cause of the last failure, by log message

	// conditionsOnly is set if Monitors created this Monitor. Then the Monitor writes only
	// conditions, and does not look at the Node between calls.
	conditionsOnly bool

	// mu guards the fields below. mu is not held during requests or calls of Config's functions.
	mu          sync.Mutex
	core        machine.Core
	cause       error         // the last attempt has failed, so there is an outage; or nil
	backoff     wait.Backoff  // the remaining pauses of the outage
	retryAt     time.Time     // the time of the next retry
	run         *run          // the running writer goroutine, or nil
	waiting     int           // the number of calls that wait
	failed      chan struct{} // closed at the next failure
	lastSuccess time.Time     // the time of the API server's last successful response
	timer       *time.Timer   // fires at the next retry or look
}

// New returns a Monitor. New makes no request and starts no goroutine. Until ctx ends, the Monitor
// retries pending reports and, after its first request, calls Config.Node every 10 seconds. Reports
// and Flush still work after ctx has ended, so ctx may be a context that ends on SIGTERM. The Monitor
// logs with the logger of ctx. If config is invalid, the error is a *field.Error.
func New(ctx context.Context, config Config) (*Monitor, error) {
	return newMonitor(ctx, config, false)
}

func newMonitor(ctx context.Context, config Config, conditionsOnly bool) (*Monitor, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	client, err := scope.NewClient(config.Client, config.NodeName, config.FieldManager)
	if err != nil {
		return nil, err
	}
	m := &Monitor{config: config, client: client, life: ctx, conditionsOnly: conditionsOnly, failed: make(chan struct{})}
	m.timer = time.AfterFunc(time.Hour, m.tick)
	m.timer.Stop()
	context.AfterFunc(ctx, m.tick)
	return m, nil
}

var errNoContext = field.Required(field.NewPath("upgrademonitor", "ctx"),
	"pass the context that ends with the process")

// Pending returns the number of reports that are accepted but not written yet, and the time at which
// the oldest of them was accepted. If no report is pending, it returns 0 and the zero time. An unwritten
// change of the Node's annotations counts as one report. Pending makes no request.
func (m *Monitor) Pending() (n int, since time.Time) {
	if m == nil {
		return 0, time.Time{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	entries := m.core.Entries()
	if len(entries) > 0 {
		since = entries[0].Change.Time.Time
	}
	return len(entries), since
}

var (
	errLate           = errors.New("not written within Config.Timeout")
	errNoResponse     = errors.New("no response from the API server within Config.Timeout")
	errConditionsOnly = field.Forbidden(field.NewPath("upgrademonitor", "Monitors"),
		"Monitors write only conditions: report this from the daemon of the node")
)

// submit looks at the Node, queues a change, and waits until it is written, as awaitLocked describes. If
// the pending changes already include the change, submit waits for the last pending entry, and then
// submits the change again. An error that does not wrap ErrPending means that the change was not
// accepted, or that the API server rejected it.
func (m *Monitor) submit(ctx context.Context, change machine.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	started := realClock.Now()
	change.Time = m.now()
	var err error
	if change.Node, err = m.look(); err != nil {
		return err
	}
	timeout := time.NewTimer(m.config.Timeout)
	defer timeout.Stop()
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		e, isRepeat, err := m.core.Submit(change)
		if e == nil {
			m.wakeLocked(m.cause != nil)
			return m.rejected(change, err)
		}
		if cause := m.awaitLocked(ctx, timeout.C, started, e); cause != nil {
			return fmt.Errorf("MachineConfigNode %s: %s: %w: %w", m.config.NodeName, change, ErrPending, cause)
		}
		if !isRepeat {
			return m.rejected(change, e.Err)
		}
	}
}

// awaitLocked waits until an entry is settled, an attempt fails, the call times out, or ctx ends. If the
// entry is settled, it returns nil. Otherwise it returns the reason why the wait has ended.
//
//  1. During an outage, it does not wait, but starts an attempt.
//  2. After the ctx of New has ended, it waits for the attempt even during an outage, because there are
//     no retries.
//  3. If the API server has not responded since the call started, an outage starts at the timeout.
func (m *Monitor) awaitLocked(ctx context.Context, timeout <-chan time.Time, started time.Time, e *machine.Entry) error {
	m.waiting++
	cause := m.cause
	m.wakeLocked(cause != nil)
	if m.life.Err() != nil {
		cause = nil
	}
	var late error
	for cause == nil && !e.IsSettled {
		failed := m.failed
		m.mu.Unlock()
		select {
		case <-e.Settled:
		case <-failed:
		case <-ctx.Done():
		case <-timeout:
			late = errLate
		}
		m.mu.Lock()
		cause = cmp.Or(late, ctx.Err(), m.cause)
	}
	m.waiting--
	if !e.IsSettled && late != nil && !m.lastSuccess.After(started) {
		cause = errNoResponse
		m.failLocked(cause)
	}
	m.wakeLocked(false)
	if e.IsSettled {
		return nil
	}
	e.Abandoned = true
	return cause
}

// GenerateAndApplyMachineConfigNodeSpec makes the spec (pool, desired config and desired image) and
// the owner reference of the MachineConfigNode match the Node. If the MachineConfigNode is missing, it
// is created. If nothing differs, no request is made.
//
//  1. If the Node has no desired config, the spec keeps its desired config. If the pool of the Node is
//     not known, the spec keeps its pool. In image mode, if the Node has a config but no desired
//     image, the desired image in the spec is cleared.
//  2. The call waits like GenerateAndApplyMachineConfigNode, behind the reports that are pending. If the
//     write fails, the error wraps ErrPending and the cause, and the write is retried.
//  3. In a controller (see Monitors), nothing is written, and the error is a *field.Error.
func (m *Monitor) GenerateAndApplyMachineConfigNodeSpec(ctx context.Context) error {
	switch {
	case m == nil:
		return nil
	case m.conditionsOnly:
		return errConditionsOnly
	}
	return m.submit(ctx, machine.Change{SyncsSpec: true})
}

// Flush waits until all reports that were accepted before the call are written. In a daemon, Flush
// also waits until the status has the configs and images of the Node. Call Flush before a reboot or
// exit, with a deadline, so that an unreachable API server does not prevent the reboot.
//
//  1. Flush calls Config.Node, and tries to write at once. A request that is older than Config.Timeout
//     is canceled, because its response may be lost.
//  2. If writes fail, Flush waits until a retry succeeds or ctx ends. If ctx ends, the error wraps
//     ErrPending, the cause and the error of ctx.
//  3. If all reports are written, but Config.Node fails, the error wraps ErrPending and the cause. In a
//     controller (see Monitors), Flush ignores a failure of Config.Node.
//  4. If the API server rejects a report permanently, the report is dropped, and Flush returns an error
//     that does not wrap ErrPending.
func (m *Monitor) Flush(ctx context.Context) error {
	if m == nil {
		return nil
	}
	_, nodeErr := m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.conditionsOnly:
		nodeErr = nil
	case nodeErr == nil:
		m.core.SubmitNode(m.now())
	}
	entries := m.core.Entries()
	if ctx.Err() == nil {
		m.flushLocked(ctx, entries)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsSettled {
			cause := cmp.Or(m.cause, errNoResponse)
			return fmt.Errorf("MachineConfigNode %s: flush: %w: %w (%w)", m.config.NodeName, ErrPending, cause, ctx.Err())
		}
		if e.Err != nil && e.Abandoned {
			errs = append(errs, fmt.Errorf("MachineConfigNode %s: %s dropped: %w", m.config.NodeName, e.Change, e.Err))
		}
	}
	if nodeErr != nil {
		errs = append(errs, fmt.Errorf("MachineConfigNode %s: flush: %w: %w", m.config.NodeName, ErrPending, nodeErr))
	}
	return errors.Join(errs...)
}

// flushLocked starts an attempt at once, and waits until the entries are settled or ctx ends.
func (m *Monitor) flushLocked(ctx context.Context, entries []*machine.Entry) {
	m.waiting++
	m.retryNowLocked()
	if m.run != nil {
		defer m.cancelAtTimeout(m.run, m.run.started).Stop()
	}
	m.wakeLocked(false)
	for _, e := range entries {
		m.mu.Unlock()
		select {
		case <-e.Settled:
		case <-ctx.Done():
		}
		m.mu.Lock()
	}
	m.waiting--
	m.wakeLocked(false)
}

// cancelAtTimeout cancels a run if its request, which has started at the given time, is still in flight
// after Config.Timeout.
func (m *Monitor) cancelAtTimeout(r *run, started time.Time) *time.Timer {
	return time.AfterFunc(m.config.Timeout-realClock.Since(started), func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if r.started.Equal(started) {
			r.cancel()
		}
	})
}

func (m *Monitor) now() metav1.Time { return metav1.NewTime(m.config.Clock.Now()) }
