package components

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// The Leases of the two processes.
const (
	OperatorLease   = "machine-config"
	ControllerLease = "machine-config-controller"
)

// Defaults of a LeaseConfig.
const (
	DefaultGrace         = time.Minute
	DefaultLeaseInterval = time.Minute
)

// LeaseConfig configures a LeaseWatch.
type LeaseConfig struct {
	// Client reads the Leases of the operator's namespace. Required.
	Client coordinationv1client.LeaseInterface
	// Component is the process that is watched: the one that the Reporter judges, Operator or Controller.
	// Required.
	Component Component
	// Judge is the Reporter's method. Required.
	Judge func(Component, ...metav1.Condition) error
	// Name is the name of the Lease. By default it is OperatorLease or ControllerLease.
	Name string
	// Deployment returns the Deployment that runs the process, from an informer of the host. While it is
	// not available, neither is the component, regardless of the Lease. Optional.
	Deployment func() (*appsv1.Deployment, error)
	// Grace is how much longer than its duration a Lease may go without a renewal. By default it is
	// DefaultGrace.
	Grace time.Duration
	// Interval is the time between two reads. By default it is DefaultLeaseInterval.
	Interval time.Duration
	// Timeout bounds a read, in real time. By default it is DefaultTimeout.
	Timeout time.Duration
	// Clock is the real one by default.
	Clock clock.WithTicker
}

var leasePath = field.NewPath("components", "LeaseConfig")

// complete validates a LeaseConfig and sets the defaults.
func (c LeaseConfig) complete() (LeaseConfig, error) {
	err := validate.Required(leasePath,
		validate.Field{Name: "Client", Value: c.Client, Hint: "pass CoordinationV1().Leases(namespace) of a clientset of client-go"},
		validate.Field{Name: "Judge", Value: c.Judge, Hint: "pass the Judge of a Reporter"},
	)
	if err != nil {
		return c, err
	}
	if !isWriter(c.Component) {
		return c, field.NotSupported(leasePath.Child("Component"), c.Component, []Component{Operator, Controller})
	}
	if c.Name == "" {
		c.Name = OperatorLease
		if c.Component == Controller {
			c.Name = ControllerLease
		}
	}
	if !validate.IsName(c.Name) {
		return c, field.Invalid(leasePath.Child("Name"), oneLine(c.Name, maxKey), "must be the name of an object")
	}
	for _, d := range []struct {
		name     string
		value    *time.Duration
		fallback time.Duration
	}{{"Grace", &c.Grace, DefaultGrace}, {"Interval", &c.Interval, DefaultLeaseInterval}, {"Timeout", &c.Timeout, DefaultTimeout}} {
		if err := completeDuration(leasePath.Child(d.name), d.value, d.fallback); err != nil {
			return c, err
		}
	}
	if validate.IsNil(c.Clock) {
		c.Clock = clock.RealClock{}
	}
	return c, nil
}
