package components

import (
	"cmp"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	operatorv1client "github.com/openshift/client-go/operator/clientset/versioned/typed/operator/v1"
	operatorlisters "github.com/openshift/client-go/operator/listers/operator/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// objectName is the name of the one MachineConfiguration.
const objectName = "cluster"

const defaultTimeout = 10 * time.Second

var fieldManagers = map[Component]string{
	Operator:   "machine-config-operator-state",
	Controller: "machine-config-controller-state",
}

// Config configures a Reporter.
type Config struct {
	// Client writes the status of MachineConfiguration/cluster. Required.
	Client operatorv1client.MachineConfigurationInterface
	// Lister lists MachineConfigurations, from a shared informer. Required. Add the Reporter's
	// Handler to the informer.
	Lister operatorlisters.MachineConfigurationLister
	// Component is the process that reports: Operator or Controller. Required.
	Component Component
	// FieldManager owns the conditions of this process. By default it is machine-config-operator-state
	// or machine-config-controller-state. That of the other component is invalid.
	FieldManager string
	// Ready reports whether the object may be written: not before the controllers that write their
	// conditions only into an empty list have done so. It must not change the object, nor block. By
	// default it returns true.
	Ready func(*operatorv1.MachineConfiguration) bool

	// A duration that is not positive is the default.

	// DegradedInertia is how long an error must last until the component is Degraded: 2 minutes by
	// default.
	DegradedInertia time.Duration
	// ProgressingAfter is how long a pass must take until the component is Progressing: 2 minutes by
	// default.
	ProgressingAfter time.Duration
	// MinInterval is the least time between two writes, 30 seconds by default. It doubles with each
	// write, up to MaxInterval, 10 minutes by default and never less than MinInterval.
	MinInterval, MaxInterval time.Duration
	// Timeout bounds a request, in real time: 10 seconds by default.
	Timeout time.Duration
	// Clock is the real one by default.
	Clock clock.WithTicker
	// Observer is notified of all passes and writes, for metrics. Optional.
	Observer Observer
}

// Observer is notified of what a process does, for metrics: many steps are too short for a condition.
// Its methods are called by the callers of Begin and End, and by Run. They must be safe for concurrent
// use, and must not block.
type Observer interface {
	// StepStarted is called when a pass of a state begins.
	StepStarted(Component, State)
	// StepEnded is called when it ends, with its duration and its error.
	StepEnded(Component, State, time.Duration, error)
	// HealthChanged is called with the health of a component, when it is first known and when it
	// changes. Each process observes all components, as the object has them.
	HealthChanged(Component, Health)
	// Written is called after a request to write the conditions, with its duration and its error.
	Written(time.Duration, error)
}

// complete validates a Config and sets the defaults.
func (c Config) complete() (Config, error) {
	path := field.NewPath("components", "Config")
	err := validate.Required(path,
		validate.Field{Name: "Client", Value: c.Client, Hint: "pass OperatorV1().MachineConfigurations() of a clientset of openshift/client-go's operator group"},
		validate.Field{Name: "Lister", Value: c.Lister, Hint: "pass the lister of an openshift/client-go informer, Operator().V1().MachineConfigurations()"},
	)
	if err != nil {
		return c, err
	}
	if fieldManagers[c.Component] == "" {
		return c, field.NotSupported(path.Child("Component"), c.Component, []Component{Operator, Controller})
	}
	for component, manager := range fieldManagers {
		if component != c.Component && c.FieldManager == manager {
			return c, field.Invalid(path.Child("FieldManager"), manager, "is that of the other component: leave it empty")
		}
	}
	c.FieldManager = cmp.Or(c.FieldManager, fieldManagers[c.Component])
	c.DegradedInertia = cmp.Or(max(c.DegradedInertia, 0), 2*time.Minute)
	c.ProgressingAfter = cmp.Or(max(c.ProgressingAfter, 0), 2*time.Minute)
	c.MinInterval = cmp.Or(max(c.MinInterval, 0), 30*time.Second)
	c.MaxInterval = max(cmp.Or(max(c.MaxInterval, 0), 10*time.Minute), c.MinInterval)
	c.Timeout = cmp.Or(max(c.Timeout, 0), defaultTimeout)
	if c.Ready == nil {
		c.Ready = func(*operatorv1.MachineConfiguration) bool { return true }
	}
	if validate.IsNil(c.Clock) {
		c.Clock = clock.RealClock{}
	}
	if validate.IsNil(c.Observer) {
		c.Observer = nil
	}
	return c, nil
}
