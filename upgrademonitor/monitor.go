package upgrademonitor

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
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

// GenerateAndApplyMachineConfigNode reports that a phase of the update has a status, with
// a reason (a CamelCase word) and a message for people.
//
//  1. Steps that the phase's state machine has between its status and the reported one are
//     published too, one write each; so is what the report means for the phase's parent and
//     for the update as a whole. See packages phases and conditions.
//  2. A report of what is there already makes no request.
//  3. An error means that the report was not accepted, and that nothing was written: a *ReportError
//     that wraps the cause, a *NodeError if Config.Node failed, scope.ErrOutOfScope if it returned
//     another node, ErrQueueFull, or the error of a ctx that has ended already.
//  4. A report that was accepted and is not written by the end of Config.Timeout, or of ctx, is no
//     error: it is kept, and written later. See Flush and Run.
//  5. The object is created if it is missing.
//
// lastTransitionTime is the time of the call, in whole seconds.
func (m *Monitor) GenerateAndApplyMachineConfigNode(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...ReportOption) error {
	if m == nil {
		return nil
	}
	options := reportOptionsOf(opts)
	if options.reason != "" {
		return m.rejected(phase, errReasonOption)
	}
	r, err := m.newReport(ctx, phase, reason, message, status, options)
	if err != nil {
		return err
	}
	return m.submit(ctx, r)
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
