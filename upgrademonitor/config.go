package upgrademonitor

import (
	"cmp"
	"math"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

// NotYetSet stands for the name of a pool or a config that is not known yet.
const NotYetSet = nodemeta.NotYetSet

// The annotations of a Node that name the current and the desired config and image of the node.
const (
	CurrentConfigAnnotation = nodemeta.CurrentConfig
	DesiredConfigAnnotation = nodemeta.DesiredConfig
	CurrentImageAnnotation  = nodemeta.CurrentImage
	DesiredImageAnnotation  = nodemeta.DesiredImage
)

// realClock measures timeouts and pauses. Config.Clock provides the times in the status.
var realClock clock.PassiveClock = clock.RealClock{}

// The defaults of Config.FieldManager and Config.Timeout.
const (
	DefaultFieldManager = "machine-config-operator"
	DefaultTimeout      = 10 * time.Second
)

// Config configures a Monitor. Each report calls Node, Pool, ImageMode and the Lister. Another
// goroutine also calls them every 10 seconds. They must be safe for concurrent use, and must not
// panic. They must not block, because Timeout does not limit these calls.
type Config struct {
	// Client is the clientset for all requests. Required.
	Client mcfgclientset.Interface
	// NodeName is the name of the Node, and of its MachineConfigNode. Required.
	NodeName string
	// Node returns the Node, for example from a lister. The Monitor does not modify it. Required.
	Node func() (*corev1.Node, error)
	// Pool returns the name of the node's pool. If Pool is nil or returns "", an existing
	// MachineConfigNode keeps its pool, and a new MachineConfigNode gets the pool "not-yet-set".
	Pool func(*corev1.Node) (string, error)
	// ImageMode reports whether the feature gate ImageModeStatusReporting is on. If ImageMode is
	// nil, for example in the drain controller, an existing object keeps its mode, and a new object
	// is in standard mode. If ImageMode returns true, the CRD must have the field configImage.
	// Without that field, each repeated report causes a write.
	ImageMode func() bool
	// Lister is from a running informer for this MachineConfigNode or for all MachineConfigNodes.
	// Set Lister if another process, such as the drain controller, writes the same object. Without
	// a Lister, conflicts are more frequent, and the last response of the API server is trusted for
	// 5 minutes. The informer may drop managedFields, but no other field. Optional.
	Lister mcfglisters.MachineConfigNodeLister
	// FieldManager must be the same in all Monitors of an object. Default: DefaultFieldManager.
	FieldManager string
	// Timeout limits how long each call waits. It does not limit Flush or the work of Track. If
	// Timeout is not positive, DefaultTimeout is used.
	Timeout time.Duration
	// Clock provides the time for lastTransitionTime. The default is the real clock.
	Clock clock.PassiveClock
}

var configPath = field.NewPath("upgrademonitor", "Config")

func (c Config) complete() (Config, error) {
	err := validate.Required(configPath,
		validate.Field{Name: "Client", Value: c.Client, Hint: "pass the machineconfiguration clientset of openshift/client-go"},
		validate.Field{Name: "Node", Value: c.Node, Hint: "pass a function that returns the Node, for example from a lister"})
	if err != nil {
		return c, err
	}
	if c.NodeName == "" {
		return c, field.Required(configPath.Child("NodeName"), "pass the name of the Node that the daemon runs on")
	}
	if errs := metav1validation.ValidateFieldManager(c.FieldManager, configPath.Child("FieldManager")); len(errs) > 0 {
		return c, errs[0]
	}
	return c.withDefaults(), nil
}

func (c Config) withDefaults() Config {
	if c.Pool == nil {
		c.Pool = func(*corev1.Node) (string, error) { return NotYetSet, nil }
	}
	if validate.IsNil(c.Lister) {
		c.Lister = nil
	}
	c.FieldManager = cmp.Or(c.FieldManager, DefaultFieldManager)
	c.Timeout = min(cmp.Or(max(c.Timeout, 0), DefaultTimeout), math.MaxInt64/2) // a request may take twice as long
	if validate.IsNil(c.Clock) {
		c.Clock = clock.RealClock{}
	}
	return c
}
