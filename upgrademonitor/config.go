package upgrademonitor

import (
	"cmp"
	"math"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/scope"
)

// NotYetSet is written in place of the name of a pool or a config that is not known yet.
const NotYetSet = nodemeta.NotYetSet

// realClock measures timeouts and pauses. Config.Clock provides the times in the status.
var realClock clock.PassiveClock = clock.RealClock{}

// Config configures a Monitor. Each report calls Node, Pool, ImageMode and Lister. Another goroutine
// also calls them every 10 seconds. So these functions must be safe for concurrent use. They must not
// panic or block: Timeout does not limit their duration.
type Config struct {
	// Client is the clientset that makes all requests. Required.
	Client mcfgclientset.Interface
	// NodeName is the name of the Node, and of its MachineConfigNode. Required.
	NodeName string
	// Node returns the Node, for example from a lister. The Monitor does not modify it. Required.
	Node func() (*corev1.Node, error)
	// Pool returns the name of the node's pool. If Pool is nil or returns "", an existing
	// MachineConfigNode keeps its pool, and a new MachineConfigNode gets the pool "not-yet-set".
	Pool func(*corev1.Node) (string, error)
	// ImageMode reports whether the feature gate ImageModeStatusReporting is on. If the gate is on,
	// the MachineConfigNode is in image mode, which has other phases than standard mode. Then the CRD
	// must have the field configImage. Otherwise the API server drops the images, each repeat of
	// Updated=False starts the update again, and observedGeneration stays behind. If ImageMode is nil,
	// for example in the drain controller, an existing MachineConfigNode keeps its mode, and a new one
	// is in standard mode.
	ImageMode func() bool
	// Lister is from a running informer for this MachineConfigNode or for all MachineConfigNodes.
	// Set Lister if another process, such as the drain controller, also writes the MachineConfigNode.
	// Without a Lister, conflicts are more frequent, and the Monitor believes its last version of the
	// object until a write has a conflict. The informer may drop managedFields, but no other field. Optional.
	Lister mcfglisters.MachineConfigNodeLister
	// FieldManager is the field manager of all writes. It must be the same in all processes that
	// report on the same node. Default: machine-config-operator.
	FieldManager string
	// Timeout limits how long a call waits: see guarantee 3 of the package. It limits neither Flush nor the
	// work of Track. Default: 10 seconds.
	Timeout time.Duration
	// Clock provides the current time for lastTransitionTime and Pending. Default: the real clock.
	Clock clock.PassiveClock
}

var configPath = field.NewPath("upgrademonitor", "Config")

// complete validates the Config, and returns it with defaults and with the client of its node.
func (c Config) complete() (Config, *scope.Client, error) {
	err := validate.Required(configPath,
		validate.Field{Name: "Client", Value: c.Client, Hint: "pass the machineconfiguration clientset of openshift/client-go"},
		validate.Field{Name: "Node", Value: c.Node, Hint: "pass a function that returns the Node, for example from a lister"},
		validate.Field{Name: "NodeName", Value: c.NodeName, Hint: "pass the name of the Node that the daemon runs on"},
	)
	if err != nil {
		return c, nil, err
	}
	if c.Pool == nil {
		c.Pool = func(*corev1.Node) (string, error) { return NotYetSet, nil }
	}
	c.FieldManager = cmp.Or(c.FieldManager, "machine-config-operator")
	if c.Timeout <= 0 {
		c.Timeout = 10 * time.Second
	}
	c.Timeout = min(c.Timeout, math.MaxInt64/2) // the timeout of a request is twice as long, and must not overflow
	if c.Clock == nil {
		c.Clock = realClock
	}
	client, err := scope.NewClient(c.Client, c.NodeName, c.FieldManager)
	return c, client, err
}
