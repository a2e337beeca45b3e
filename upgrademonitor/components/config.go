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
	// FieldManager owns the conditions of this process. The default is
	// machine-config-operator-state or machine-config-controller-state, depending on Component. The
	// default of the other component is invalid.
	FieldManager string
	// Ready reports whether the Reporter may write the object. Set Ready if another controller adds
	// its conditions only while the list is empty. Then Ready must return false until that
	// controller has added its conditions. Ready must not change the object, and must not block.
	// The default always returns true.
	Ready func(*operatorv1.MachineConfiguration) bool
	// Clock is for tests. The default is the real clock.
	Clock clock.WithTicker
}

// New returns a Reporter. It makes no request. If config is invalid, it returns a *field.Error.
func New(config Config) (*Reporter, error) {
	path, other := field.NewPath("components", "Config"), map[Component]Component{Operator: Controller, Controller: Operator}[config.Component]
	err := validate.Required(path,
		validate.Field{Name: "Client", Value: config.Client, Hint: "pass OperatorV1().MachineConfigurations() of a clientset of openshift/client-go's operator group"},
		validate.Field{Name: "Lister", Value: config.Lister, Hint: "pass Operator().V1().MachineConfigurations().Lister() of an informer factory of openshift/client-go's operator group"},
	)
	switch {
	case err != nil:
		return nil, err
	case other == "":
		return nil, field.NotSupported(path.Child("Component"), config.Component, []Component{Operator, Controller})
	case config.FieldManager == fieldManagers[other]:
		return nil, field.Invalid(path.Child("FieldManager"), config.FieldManager, "is the default of the other component: leave FieldManager empty")
	}
	config.FieldManager = cmp.Or(config.FieldManager, fieldManagers[config.Component])
	if config.Ready == nil {
		config.Ready = func(*operatorv1.MachineConfiguration) bool { return true }
	}
	if validate.IsNil(config.Clock) {
		config.Clock = clock.RealClock{}
	}
	return &Reporter{config: config, failures: map[string]string{}, wake: make(chan struct{}, 1),
		tracker: newTracker(config.Component), written: &operatorv1.MachineConfiguration{}}, nil
}
