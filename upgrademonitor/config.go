package upgrademonitor

import (
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

// NotYetSet is the name of a pool or a config that is not known yet.
const NotYetSet = nodemeta.NotYetSet

// The annotations of a Node that name its current and its desired config and image.
const (
	CurrentConfigAnnotation = nodemeta.CurrentConfig
	DesiredConfigAnnotation = nodemeta.DesiredConfig
	CurrentImageAnnotation  = nodemeta.CurrentImage
	DesiredImageAnnotation  = nodemeta.DesiredImage
)

// realClock paces requests. Config.Clock is only for lastTransitionTime.
var realClock clock.PassiveClock = clock.RealClock{}

// The defaults of the fields of a Config.
const (
	DefaultFieldManager = "machine-config-operator"
	DefaultTimeout      = 10 * time.Second
)

// Config configures a Monitor. Node, Pool, ImageMode and the Lister are also called between calls,
// by another goroutine. They must be safe for concurrent use. They must not block, because Timeout
// does not limit them, and must not panic, because a panic between calls ends the process.
type Config struct {
	// Client is the clientset for all requests. Required.
	Client mcfgclientset.Interface
	// NodeName is the name of the Node, and of its MachineConfigNode. Required.
	NodeName string
	// Node returns the Node, for example from a lister. The Monitor does not change it. Required.
	Node func() (*corev1.Node, error)
	// Pool returns the name of the node's pool. Default: NotYetSet, which keeps the known pool.
	Pool func(*corev1.Node) (string, error)
	// ImageMode reports whether the feature gate ImageModeStatusReporting is on. If it is nil, for
	// example in the drain controller, an object keeps its mode, and a new object is in standard
	// mode. If it is true, the CRD must have configImage: otherwise repeated reports are written.
	ImageMode func() bool
	// Lister lists this MachineConfigNode or all MachineConfigNodes from a running informer. Set it
	// if another process, such as the drain controller, writes the same object. Without a Lister,
	// conflicts are more frequent, and for 5 minutes the Monitor assumes that its last write is
	// still in place. The informer may drop fields of its objects, but no conditions. Optional.
	Lister mcfglisters.MachineConfigNodeLister
	// FieldManager must be the same for all Monitors of an object. Default: DefaultFieldManager.
	FieldManager string
	// Timeout limits reports and spec calls, not Track's work or Flush. If it is not positive, it is
	// DefaultTimeout.
	Timeout time.Duration
	// Clock provides the time for lastTransitionTime. The default is the real clock.
	Clock clock.PassiveClock
}

var configPath = field.NewPath("upgrademonitor", "Config")

// complete checks the required fields, and sets the defaults of the other fields.
func (c Config) complete() (Config, error) {
	err := validate.Required(configPath,
		validate.Field{Name: "Client", Value: c.Client, Hint: "pass a clientset of openshift/client-go's machineconfiguration group"},
		validate.Field{Name: "Node", Value: c.Node, Hint: "pass a function that returns the daemon's view of its Node"})
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
	if c.FieldManager == "" {
		c.FieldManager = DefaultFieldManager
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if validate.IsNil(c.Clock) {
		c.Clock = clock.RealClock{}
	}
	return c
}
