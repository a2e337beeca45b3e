package upgrademonitor

import (
	"context"
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope"
)

// Monitor reports the updates of one node on its MachineConfigNode. Make it with New. It
// may be used from any number of goroutines; what they report is written one after the
// other, in the order in which it was accepted.
type Monitor struct {
	config Config
	client *scope.Client

	// writing is held, by sending to it, by the one goroutine that talks to the API server.
	writing chan struct{}
	// onPending says that a caller has left something that is not written; it must not
	// block. Run hears of it through left.
	onPending func()
	left      chan struct{}

	mu       sync.Mutex
	queue    []*entry                  // accepted and not written, oldest first
	object   *mcfgv1.MachineConfigNode // as last read or written; nil: not yet
	doubted  bool                      // the object must be read before the next write
	seen     *versions                 // what the node said at the last write or read
	begun    update                    // see state
	noImages bool                      // see state
}

// New makes a Monitor. It makes no request. A field that cannot be used gives a *ConfigError.
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
		config:  config,
		client:  client,
		writing: make(chan struct{}, 1),
		left:    make(chan struct{}, 1),
	}
	m.onPending = func() {
		select {
		case m.left <- struct{}{}:
		default: // Run knows
		}
	}
	return m, nil
}

// GenerateAndApplyMachineConfigNode reports that a phase of the update has a status, why
// (the reason, a CamelCase word), and what a reader should know (the message).
//
//  1. Steps that the phase's state machine has between its status and the reported one are
//     published too, one write each; so is what the report means for the phase's parent and
//     for the update as a whole. See packages phases and conditions.
//  2. A report of what is there already makes no request.
//  3. A report that is refused gives a *ReportError, which wraps the cause, and changes
//     nothing. So does a Node function that fails, with a *NodeError; one that returns
//     another node is a scope.ErrOutOfScope.
//  4. The object is created where it is missing.
//  5. The call returns within Config.Timeout. A report that could not be written by then is
//     kept: the error is an ErrPending. A ctx that has ended before the call gives its error,
//     and nothing is accepted.
//
// lastTransitionTime is the time of the call, in whole seconds.
func (m *Monitor) GenerateAndApplyMachineConfigNode(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...ReportOption) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, err := m.newReport(ctx, phase, reason, message, status, opts...)
	if err != nil {
		return err
	}
	return m.submit(ctx, r)
}
