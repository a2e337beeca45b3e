package components

import (
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	operatorv1client "github.com/openshift/client-go/operator/clientset/versioned/typed/operator/v1"
	operatorlisters "github.com/openshift/client-go/operator/listers/operator/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// ObjectName is the name of the one MachineConfiguration.
const ObjectName = "cluster"

// Defaults of a Config.
const (
	DefaultOperatorFieldManager   = "machine-config-operator-state"
	DefaultControllerFieldManager = "machine-config-controller-state"

	DefaultPersist     = 2 * time.Minute
	DefaultDwell       = 2 * time.Minute
	DefaultMinInterval = 30 * time.Second
	DefaultMaxInterval = 10 * time.Minute
	DefaultTimeout     = 10 * time.Second
)

// Config configures a Reporter.
type Config struct {
	// Client writes the status of MachineConfiguration/cluster. Required.
	Client operatorv1client.MachineConfigurationInterface
	// Lister lists MachineConfigurations, from an informer of the host: the conditions that an earlier
	// process has written, and changes of them. Required. Add the Reporter's Handler to the informer.
	Lister operatorlisters.MachineConfigurationLister
	// Component is the process that reports: Operator or Controller. Required.
	Component Component
	// FieldManager owns the conditions of this process. By default it is DefaultOperatorFieldManager or
	// DefaultControllerFieldManager. That of the other component is invalid: an apply of one would
	// remove the conditions of the other.
	FieldManager string
	// Ready reports whether the object may be written: not before the controllers that write their
	// conditions only into an empty list have done so. It must not change the object, nor block. By
	// default it returns true.
	Ready func(*operatorv1.MachineConfiguration) bool

	// Persist is how long an error must last until the component is Degraded. By default it is
	// DefaultPersist.
	Persist time.Duration
	// Dwell is how long a pass must take until the component is Progressing. By default it is
	// DefaultDwell.
	Dwell time.Duration
	// MinInterval is the least time between two writes; it doubles with each, up to MaxInterval. By
	// default they are DefaultMinInterval and DefaultMaxInterval.
	MinInterval, MaxInterval time.Duration
	// Timeout bounds a request, in real time. By default it is DefaultTimeout.
	Timeout time.Duration
	// Clock is the real one by default.
	Clock clock.WithTicker
	// Observer is notified of all passes and writes, for metrics. Optional.
	Observer Observer
}

var configPath = field.NewPath("components", "Config")

// complete validates a Config and sets the defaults.
func (c Config) complete() (Config, error) {
	err := validate.Required(configPath,
		validate.Field{Name: "Client", Value: c.Client, Hint: "pass OperatorV1().MachineConfigurations() of a clientset of openshift/client-go's operator group"},
		validate.Field{Name: "Lister", Value: c.Lister, Hint: "pass the lister of an openshift/client-go informer, Operator().V1().MachineConfigurations()"},
	)
	if err != nil {
		return c, err
	}
	if !isWriter(c.Component) {
		return c, field.NotSupported(configPath.Child("Component"), c.Component, []Component{Operator, Controller})
	}
	own, other := DefaultOperatorFieldManager, DefaultControllerFieldManager
	if c.Component == Controller {
		own, other = other, own
	}
	switch {
	case c.FieldManager == "":
		c.FieldManager = own
	case c.FieldManager == other:
		return c, field.Invalid(configPath.Child("FieldManager"), c.FieldManager, "is that of the other component: leave it empty")
	case len(c.FieldManager) > 128:
		return c, field.TooLong(configPath.Child("FieldManager"), "", 128)
	}
	if c.Ready == nil {
		c.Ready = func(*operatorv1.MachineConfiguration) bool { return true }
	}
	for _, d := range []struct {
		name     string
		value    *time.Duration
		fallback time.Duration
	}{
		{"Persist", &c.Persist, DefaultPersist},
		{"Dwell", &c.Dwell, DefaultDwell},
		{"MinInterval", &c.MinInterval, DefaultMinInterval},
		{"MaxInterval", &c.MaxInterval, max(DefaultMaxInterval, c.MinInterval)},
		{"Timeout", &c.Timeout, DefaultTimeout},
	} {
		if err := completeDuration(configPath.Child(d.name), d.value, d.fallback); err != nil {
			return c, err
		}
	}
	if c.MaxInterval < c.MinInterval {
		return c, field.Invalid(configPath.Child("MaxInterval"), c.MaxInterval.String(), "must not be less than MinInterval, "+c.MinInterval.String())
	}
	if validate.IsNil(c.Clock) {
		c.Clock = clock.RealClock{}
	}
	if validate.IsNil(c.Observer) {
		c.Observer = nil
	}
	return c, nil
}

// completeDuration sets the default of a zero duration. A negative one is an error.
func completeDuration(path *field.Path, d *time.Duration, fallback time.Duration) error {
	if *d < 0 {
		return field.Invalid(path, d.String(), "must not be negative")
	}
	if *d == 0 {
		*d = fallback
	}
	return nil
}
