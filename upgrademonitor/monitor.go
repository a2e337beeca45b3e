package upgrademonitor

import (
	"context"
	"sync"
	"time"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/api"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/failurelog"
)

// Monitor reports the updates of one node on its MachineConfigNode. Make it with New. It
// may be used from any number of goroutines; what they report is written one after the
// other, in the order in which it was accepted.
//
// A nil Monitor is valid: it accepts everything, writes nothing and returns nil. A daemon
// that has no node or no client yet, or runs on a cluster without the CRD, keeps its call sites.
type Monitor struct {
	config Config
	client api.Client

	// turn is held, by sending to it, by the one goroutine that makes requests.
	turn chan struct{}
	// wake notifies Run of a report that no caller waits for any more. It does not block.
	wake  func()
	woken chan struct{} // received from by Run

	failures           failurelog.Log // of requests
	specFailures       failurelog.Log
	poolFailures       failurelog.Log
	annotationFailures failurelog.Log
	imageFailures      failurelog.Log
	imageSetFailures   failurelog.Log
	listerFailures     failurelog.Log

	mu          sync.Mutex // guards what follows; it is not held during a request
	core        core.Core
	answered    time.Time // when the API server last answered
	specAfter   time.Time // when the spec may be tried again
	imagesAfter time.Time // when images may be tried again
}

// New returns a Monitor. It makes no request. An invalid field is a *field.Error.
func New(config Config) (*Monitor, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	client, err := config.scope()
	if err != nil {
		return nil, err
	}
	m := &Monitor{
		config: config,
		client: api.New(client, config.FieldManager),
		turn:   make(chan struct{}, 1),
		woken:  make(chan struct{}, 1),
	}
	m.wake = func() {
		select {
		case m.woken <- struct{}{}:
		default: // Run was woken already
		}
	}
	return m, nil
}

// failed logs an error, unless it is of the kind of the last one.
func (m *Monitor) failed(ctx context.Context, log *failurelog.Log, err error, message string) {
	log.Failed(ctx, err, message, "node", m.config.NodeName)
}

// recovered logs that a failure is over. It costs nothing where there was none.
func (m *Monitor) recovered(ctx context.Context, log *failurelog.Log, message string) {
	if log.Failing() {
		log.Recovered(ctx, message, "node", m.config.NodeName)
	}
}
