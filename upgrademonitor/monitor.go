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

	// mu guards the fields below. mu is not held during requests or calls of Config's functions.
	mu     sync.Mutex
	core   core.Core
	writer writer
	outage outage
	spec   specFailure
	seen   seen
	timer  *time.Timer // fires at the next retry or look; nil before the first request
	lookAt time.Time   // when the next look at the Node is due
}

// New returns a Monitor. New makes no request and starts no goroutine. Until ctx ends, the Monitor
// retries pending reports, and looks at the Node every 10 seconds. Reports and Flush still work
// after ctx has ended, so ctx may be the context that SIGTERM cancels. The Monitor logs with the
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
		outage:   outage{backoff: retryBackoff},
	}
	context.AfterFunc(ctx, m.end)
	return m, nil
}

var errNoContext = field.Required(field.NewPath("upgrademonitor", "ctx"), "pass the context that ends with the process")

// end runs when life ends. The end of life also cancels the request in flight: see send.
func (m *Monitor) end() {
	m.mu.Lock()
	m.scheduleLocked()
	n, isFlushed := len(m.core.Entries()), m.writer.flushes > 0
	m.mu.Unlock()
	if n > 0 && !isFlushed && !errors.Is(context.Cause(m.life), errForgotten) {
		klog.FromContext(m.life).Info("Reports are pending and no longer retried: call Flush", "node", m.config.NodeName, "pending", n)
	}
}

// isOverLocked reports whether life has ended and no Flush runs. If so, the Monitor does not retry.
func (m *Monitor) isOverLocked() bool { return m.life.Err() != nil && m.writer.flushes == 0 }

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
	return len(entries), entries[0].Accepted.Time
}
