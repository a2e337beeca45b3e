package upgrademonitor

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/inspect"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/failurelog"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/writer"
)

// Monitor reports the updates of one node on its MachineConfigNode. Make it with New. It
// may be used from any number of goroutines; what they report is written one after the
// other, in the order in which it was accepted.
//
// A nil Monitor is valid: it accepts everything, writes nothing and returns nil. A daemon
// that has no node or no client yet, or runs on a cluster without the CRD, keeps its call sites.
type Monitor struct {
	config    Config
	writer    writer.Writer
	inspector inspect.Inspector // of a test, else nil

	failures       failurelog.Log // of writing
	specFailures   failurelog.Log // of writing the spec for a report
	listerFailures failurelog.Log
	imageFailures  failurelog.Log // of a CRD without images

	// turn is held, by sending to it, by the one goroutine that talks to the API server.
	turn chan struct{}
	// wake notifies Run of a pending entry that no caller waits for. It does not block.
	wake  func()
	woken chan struct{} // received from by Run
	// compacting is held by the one caller that compacts a full queue, so that the store is not
	// locked most of the time.
	compacting sync.Mutex

	store store
}

// New returns a Monitor. It makes no request. An invalid field is a *field.Error.
func New(config Config) (*Monitor, error) {
	return newMonitor(config, nil)
}

// newMonitor returns a Monitor that also calls notify, of Monitors, when it wakes Run.
func newMonitor(config Config, notify func()) (*Monitor, error) {
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
		writer: writer.New(client, config.FieldManager),
		turn:   make(chan struct{}, 1),
		woken:  make(chan struct{}, 1),
	}
	m.store = store{clock: config.realClock, checkInterval: config.CheckInterval, hasLister: config.Lister != nil, fromLister: m.writer.FromLister}
	m.inspector, _ = config.Client.(inspect.Inspector)
	m.wake = func() {
		select {
		case m.woken <- struct{}{}:
		default: // Run was woken already
		}
		if notify != nil {
			notify()
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
//  3. A report that is refused returns a *ReportError, which wraps the cause, and changes
//     nothing. So does a Node function that fails, with a *NodeError; one that returns
//     another node returns a scope.ErrOutOfScope.
//  4. The object is created where it is missing.
//  5. The call returns within Config.Timeout. A report that could not be written by then is
//     kept: the error is an ErrPending. A ctx that has ended before the call returns its error,
//     and nothing is accepted.
//
// lastTransitionTime is the time of the call, in whole seconds.
func (m *Monitor) GenerateAndApplyMachineConfigNode(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...ReportOption) error {
	if m == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	options := optionsOf(opts)
	if err := options.validate(); err != nil {
		return m.refused(phase, err)
	}
	r, err := m.newReport(ctx, phase, reason, message, status, options)
	if err != nil {
		return err
	}
	return m.submit(ctx, r)
}
