package components

import (
	"cmp"

	operatorv1 "github.com/openshift/api/operator/v1"
	operatorv1client "github.com/openshift/client-go/operator/clientset/versioned/typed/operator/v1"
	operatorlisters "github.com/openshift/client-go/operator/listers/operator/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/internal/validate"
)

var fieldManagers = map[Component]string{
	Operator:   "machine-config-operator-state",
	Controller: "machine-config-controller-state",
}

// Config configures a Reporter.
type Config struct {
	// Client writes the status of MachineConfiguration/cluster. Required.
	Client operatorv1client.MachineConfigurationInterface
	// Lister lists MachineConfigurations, from a shared informer. Required.
	Lister operatorlisters.MachineConfigurationLister
	// Component is the process that reports: Operator or Controller. Required.
	Component Component
	// FieldManager owns the conditions of this process: machine-config-operator-state or
	// machine-config-controller-state by default. The other component's default is invalid.
	FieldManager string
	// Ready reports whether the object may be written: not before the controllers that write their
	// conditions only into an empty list have done so. It must not change the object, and must not
	// block. By default it returns true.
	Ready func(*operatorv1.MachineConfiguration) bool
	// Clock is the real clock by default.
	Clock clock.WithTicker
}

// complete validates a Config and sets the defaults.
func (c Config) complete() (Config, error) {
	path := field.NewPath("components", "Config")
	err := validate.Required(path,
		validate.Field{Name: "Client", Value: c.Client, Hint: "pass OperatorV1().MachineConfigurations() of a clientset of openshift/client-go's operator group"},
		validate.Field{Name: "Lister", Value: c.Lister, Hint: "pass the lister of an openshift/client-go informer, Operator().V1().MachineConfigurations()"},
	)
	other := map[Component]Component{Operator: Controller, Controller: Operator}[c.Component]
	switch {
	case err != nil:
		return c, err
	case other == "":
		return c, field.NotSupported(path.Child("Component"), c.Component, []Component{Operator, Controller})
	case c.FieldManager == fieldManagers[other]:
		return c, field.Invalid(path.Child("FieldManager"), c.FieldManager, "belongs to the other component: leave it empty")
	}
	c.FieldManager = cmp.Or(c.FieldManager, fieldManagers[c.Component])
	if c.Ready == nil {
		c.Ready = func(*operatorv1.MachineConfiguration) bool { return true }
	}
	if validate.IsNil(c.Clock) {
		c.Clock = clock.RealClock{}
	}
	return c, nil
}
