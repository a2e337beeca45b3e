package upgrademonitor

import (
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/internal/scoped"
	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/api"
)

// NotYetSet stands for a pool or a config that is not known yet.
const NotYetSet = "not-yet-set"

// The annotations of a Node that name what it runs and what it is to run.
const (
	CurrentConfigAnnotation = "machineconfiguration.openshift.io/currentConfig"
	DesiredConfigAnnotation = "machineconfiguration.openshift.io/desiredConfig"
	CurrentImageAnnotation  = "machineconfiguration.openshift.io/currentImage"
	DesiredImageAnnotation  = "machineconfiguration.openshift.io/desiredImage"
)

// realClock is for what is paced in real time, unlike lastTransitionTime.
var realClock clock.PassiveClock = clock.RealClock{}

// The defaults of the fields of a Config.
const (
	DefaultFieldManager = "machine-config-operator"
	DefaultTimeout      = 10 * time.Second
)

// Config is what a Monitor is made of. Its functions are called from the goroutines that report and
// from Run, must be safe for that, and must not block: they are not bounded by Timeout.
type Config struct {
	// Client reaches the API server. Required.
	Client mcfgclientset.Interface
	// NodeName names the node, and so its MachineConfigNode. Required.
	NodeName string
	// Node returns the daemon's current view of its node, from an informer's cache, say.
	// The Monitor does not change it. Required.
	Node func() (*corev1.Node, error)
	// Pool returns the MachineConfigPool of the node. By default it is NotYetSet.
	Pool func(*corev1.Node) (string, error)
	// ImageMode reports whether the feature gate ImageModeStatusReporting is on. By default the
	// mode is the one that the object is in, and standard mode for a new object: a controller that
	// drains need not know.
	ImageMode func() bool
	// Lister is that of a running informer on this MachineConfigNode, or on all of them. It spares
	// the Monitor reads and conflicts when other processes write to the object, and shows it that
	// the object was deleted, or overwritten: without one, what the Monitor wrote last is assumed to
	// be still published for 5 minutes. An informer that drops fields of its objects costs reads, and
	// nothing else. It is the one field that the goroutine which writes uses: it must neither block nor panic.
	// Optional.
	Lister mcfglisters.MachineConfigNodeLister
	// FieldManager is the field manager of the writes. All Monitors of one object must use
	// the same. By default it is DefaultFieldManager.
	FieldManager string
	// Timeout bounds every report and spec call, in real time, but not Track's work, and not Flush.
	// By default, and if it is not positive, it is DefaultTimeout.
	Timeout time.Duration
	// Clock is read for lastTransitionTime. By default it is the real clock.
	Clock clock.PassiveClock
}

var configPath = field.NewPath("upgrademonitor", "Config")

// complete checks the required fields and fills in the others.
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

// api returns the client that keeps the Monitor to its one object.
func (c Config) api() (api.Client, error) {
	group := c.Client.MachineconfigurationV1()
	client, err := scoped.NewClient(group.MachineConfigNodes(), c.NodeName)
	if err != nil {
		return api.Client{}, field.Invalid(configPath.Child("NodeName"), c.NodeName, err.Error())
	}
	return api.New(client, group.RESTClient(), c.FieldManager), nil
}
