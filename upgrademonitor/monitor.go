package upgrademonitor

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// Monitor reports the updates of one node on its MachineConfigNode. Create a Monitor with New. A
// Monitor is safe for concurrent use. Reports are written in the order in which they were accepted.
//
// A nil Monitor accepts every report, writes nothing and returns no error. Use a nil Monitor in a
// daemon without a client, or on a cluster without the CRD.
type Monitor struct {
	config  Config
	client  *scope.Client
	life    context.Context    // the ctx of New; after it ends, only calls that wait cause requests
	endLife context.CancelFunc // nil unless Monitors created this Monitor

	// mu guards the fields below. mu is not held during requests or calls of Config's functions.
	mu       sync.Mutex
	core     planner.Core
	view     view
	outage   error           // the cause of the outage, or nil
	backoff  wait.Backoff    // the remaining pauses of the outage
	retryAt  time.Time       // the time of the next retry
	attempt  *attempt        // the running writer goroutine, or nil
	waiting  int             // the number of calls that wait
	failed   chan struct{}   // closed at the next failure
	canceled bool            // a Flush has canceled a request, and no other attempt has ended since
	logged   apierr.Failures // by log message; has a lock of its own
	lines    []func()        // log a line each, after mu is released: see unlock
	timer    *time.Timer     // fires at the next retry or look
}

// New returns a Monitor. New makes no request and starts no goroutine. Until ctx ends, the Monitor
// retries pending reports and, after its first request, calls Config.Node every 10 seconds. Reports
// and Flush still work after ctx has ended, so ctx may be a context that ends on SIGTERM. The Monitor
// logs with the logger of ctx. If its sink blocks, the call that logs and the writes wait for it. If config
// is invalid, the error is a *field.Error.
func New(ctx context.Context, config Config) (*Monitor, error) {
	return newMonitor(ctx, config, false)
}

func newMonitor(ctx context.Context, config Config, isController bool) (*Monitor, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	config, client, err := config.complete()
	if err != nil {
		return nil, err
	}
	m := &Monitor{config: config, client: client, life: ctx, core: planner.Core{IsController: isController},
		backoff: retryBackoff, failed: make(chan struct{})}
	m.timer = time.AfterFunc(time.Hour, m.tick)
	m.timer.Stop()
	context.AfterFunc(ctx, m.end)
	return m, nil
}

var errNoContext = field.Required(field.NewPath("upgrademonitor", "ctx"),
	"pass the context that ends with the process")

// isController reports whether Monitors created this Monitor. Then the Monitor writes only conditions, and
// between calls it looks at the Node only while reports are pending.
func (m *Monitor) isController() bool { return m.core.IsController }

func (m *Monitor) now() metav1.Time { return metav1.NewTime(m.config.Clock.Now()) }
