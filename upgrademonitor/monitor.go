package upgrademonitor

import (
	"math"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/api"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/failurelog"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Monitor reports the updates of one node on its MachineConfigNode. Make it with New. It
// may be used from any number of goroutines; what they report is written one after the
// other, in the order in which it was accepted.
//
// A nil Monitor is valid: it accepts everything, writes nothing and returns nil. A daemon
// that has no node or no client yet, or runs on a cluster without the CRD, keeps its call sites.
type Monitor struct {
	config   Config
	client   api.Client
	invalid  error         // why every report is rejected, or nil
	woken    chan struct{} // received from by Run
	failures failurelog.Log

	mu   sync.Mutex // guards what follows; it is not held during a request or a function of Config
	core core.Core

	// writing is set while the writer's goroutine exists. changed is closed, and replaced, when that
	// ends, and when there may be no use in waiting for it any more. Whoever waits makes it.
	writing bool
	changed chan struct{}
	step    int  // of the writer: it tells a timer whether its request is still under way
	joined  bool // somebody has started the writer since its request began: if that fails, there is another

	// failing is set when a status could not be written, or takes longer than Timeout, and cleared
	// when one was written within Timeout, or the API server answers and there is nothing left to write.
	// cause is why. Invariant: cause is nil unless failing.
	failing bool
	cause   error
	lost    int          // requests since then that had no answer in their time
	backoff wait.Backoff // of Run, from the last failure
	retryAt time.Time    // when Run may try again

	specCause   error     // why the spec could not be written, or nil
	specAfter   time.Time // when it may be tried again: it must not delay the status
	imagesAfter time.Time // when images may be tried again
	answered    time.Time // when the API server last answered

	viewErr error         // of the last view of the Node
	looked  plan.Versions // what Run has seen of the Node
	runs    int           // calls of Run that have not returned
	group   group         // which it belongs to, or nil
	warning *time.Timer   // of what is pending without a Run, or nil
}

// group is Monitors, with a Run for all of them.
type group interface {
	isRun() bool
	wake(nodeName string) // has Run look at a node at once; it does not block
}

// retryBackoff paces the attempts to write what is pending: at least every 30 s, with the jitter. It
// has no end.
var retryBackoff = wait.Backoff{Steps: math.MaxInt, Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 20 * time.Second}

// New returns a Monitor. It makes no request. An invalid field is a *field.Error.
func New(config Config) (*Monitor, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	client, err := config.api()
	if err != nil {
		return nil, err
	}
	return &Monitor{
		config:   config,
		client:   client,
		woken:    make(chan struct{}, 1),
		failures: failurelog.Log{Values: []any{"node", config.NodeName}},
		backoff:  retryBackoff,
	}, nil
}

// What fails, each with a cause of its own in the log.
const (
	statusFailure     = "status"
	specFailure       = "spec"
	poolFailure       = "pool"
	annotationFailure = "annotations"
	imageFailure      = "images"
	imageSetFailure   = "pinned image sets"
	listerFailure     = "Lister"
)
