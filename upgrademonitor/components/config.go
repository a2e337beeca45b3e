package components

import (
	"cmp"

	operatorv1 "github.com/openshift/api/operator/v1"
	operatorv1client "github.com/openshift/client-go/operator/clientset/versioned/typed/operator/v1"
	operatorlisters "github.com/openshift/client-go/operator/listers/operator/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// Config configures a Reporter.
type Config struct {
	// Client writes the status of MachineConfiguration/cluster. Required.
	Client operatorv1client.MachineConfigurationInterface
	// Lister lists MachineConfigurations, from a shared informer. Required.
	Lister operatorlisters.MachineConfigurationLister
	// Component is the process that reports: Operator or Controller. Required.
	Component Component
	// FieldManager owns the conditions of this process. The default is machine-config-operator-state or
	// machine-config-controller-state. Two components must not have the same FieldManager.
	FieldManager string
	// Ready reports whether the Reporter may write; nil means always. If a controller adds its
	// conditions only to an object without conditions, Ready must return false until the object has
	// them. Ready must not change the object, and must not block.
	Ready func(*operatorv1.MachineConfiguration) bool
	// Clock is for tests. The default is the real clock.
	Clock clock.WithTicker
}

// New returns a Reporter. It makes no request. If config is invalid, the error is a *field.Error.
func New(config Config) (*Reporter, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	config.FieldManager = cmp.Or(config.FieldManager, writers[config.Component].fieldManager)
	if validate.IsNil(config.Clock) {
		config.Clock = clock.RealClock{}
	}
	return &Reporter{config: config, wake: make(chan struct{}, 1), tracker: newTracker(config.Component)}, nil
}

func (c Config) validate() error {
	path := field.NewPath("components", "Config")
	const of = " of openshift/client-go's operator group"
	const client = "pass OperatorV1().MachineConfigurations() of a clientset" + of
	const lister = "pass Operator().V1().MachineConfigurations().Lister() of an informer factory" + of
	err := validate.Required(path,
		validate.Field{Name: "Client", Value: c.Client, Hint: client},
		validate.Field{Name: "Lister", Value: c.Lister, Hint: lister},
	)
	if err != nil {
		return err
	}
	if _, ok := writers[c.Component]; !ok {
		return field.NotSupported(path.Child("Component"), c.Component, []Component{Operator, Controller})
	}
	if errs := metav1validation.ValidateFieldManager(c.FieldManager, path.Child("FieldManager")); len(errs) > 0 {
		return errs[0]
	}
	return nil
}
