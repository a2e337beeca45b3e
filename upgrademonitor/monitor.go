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
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/api"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
)

// Monitor reports the updates of one node on its MachineConfigNode. Create it with New. It is safe
// for concurrent use. Reports are written in the order in which they were accepted.
//
// A nil Monitor accepts every report, writes nothing and returns nil: use it in a daemon without a
// client, or on a cluster without the CRD.
type Monitor struct {
	config   Config
	client   api.Client
	life     context.Context         // has the logger; when it ends, retries and looks at the Node stop
	forget   context.CancelCauseFunc // ends life, if the Monitor belongs to a Monitors
	failures apierr.Log
	looks    atomic.Int64 // the number of looks so far

	// mu guards the fields below. It is not held during requests and calls of Config's functions.
	mu     sync.Mutex
	core   core.Core
	writer writer
	outage outage
	spec   specFailure
	seen   seen
	timer  *time.Timer // for the next retry or look; nil before the first request
	lookAt time.Time   // when the next look is due
}

// New returns a Monitor. It makes no request and starts no goroutine. Until ctx ends, the Monitor
// also works between calls: it retries pending reports, and looks at the Node every 10 seconds.
// Calls and Flush still work after ctx has ended, so ctx may be the context that SIGTERM cancels.
// The Monitor logs with the logger of ctx. An invalid field is a *field.Error.
func New(ctx context.Context, config Config) (*Monitor, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	group := config.Client.MachineconfigurationV1()
	client, err := scope.NewClient(group.MachineConfigNodes(), config.NodeName)
	if err != nil {
		return nil, field.Invalid(configPath.Child("NodeName"), config.NodeName, err.Error())
	}
	m := &Monitor{
		config:   config,
		client:   api.New(client, group.RESTClient(), config.FieldManager),
		life:     ctx,
		failures: apierr.Log{Values: []any{"node", config.NodeName}},
		outage:   outage{backoff: retryBackoff},
	}
	context.AfterFunc(ctx, m.end)
	return m, nil
}

var errNoContext = field.Required(field.NewPath("upgrademonitor", "ctx"), "pass the context that ends with the process")

// end is called when life has ended, which also cancels the request in flight.
func (m *Monitor) end() {
	m.mu.Lock()
	m.scheduleLocked()
	n, isFlushed := len(m.core.Entries()), m.writer.flushes > 0
	m.mu.Unlock()
	if n > 0 && !isFlushed && !errors.Is(context.Cause(m.life), errForgotten) {
		klog.FromContext(m.life).Info("Reports are pending and no longer retried: call Flush", "node", m.config.NodeName, "pending", n)
	}
}

// isOverLocked reports whether retries and looks have stopped. During a Flush they continue.
func (m *Monitor) isOverLocked() bool { return m.life.Err() != nil && m.writer.flushes == 0 }

// Pending returns the number of pending reports (accepted, not written yet), and when the oldest
// was accepted, by Config.Clock; without reports, 0 and the zero time. New versions of the Node
// that no report has written count as one report. Pending makes no request: use it for a metric.
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
