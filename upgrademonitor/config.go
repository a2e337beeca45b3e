package upgrademonitor

import (
	"reflect"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/scope"
)

// What a Config's empty fields stand for.
const (
	DefaultFieldManager = "machine-config-operator"
	DefaultTimeout      = 10 * time.Second
)

// NotYetSet stands for a pool or a config that nobody has named yet.
const NotYetSet = "not-yet-set"

// Config is what a Monitor is made of. Its functions are called from the goroutines that
// report, must be safe for that, and must not block: they are not bounded by Timeout.
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
	// ImageMode says whether the feature gate ImageModeStatusReporting is on. By default
	// it is off.
	ImageMode func() bool
	// Lister is that of a running informer on this MachineConfigNode, where the daemon has
	// one. It spares the Monitor reads and conflicts when other processes write. Optional.
	Lister mcfglisters.MachineConfigNodeLister
	// FieldManager owns the fields that are applied. All Monitors of one object must use
	// the same. By default it is DefaultFieldManager.
	FieldManager string
	// Timeout bounds every call, in real time. By default, and if it is not positive, it
	// is DefaultTimeout.
	Timeout time.Duration
	// Clock tells the time of a report, for lastTransitionTime. By default it is real.
	Clock clock.PassiveClock
}

// complete checks the required fields and fills in the others.
func (c Config) complete() (Config, error) {
	switch {
	case isNil(c.Client):
		return c, &ConfigError{Field: "Client", Problem: "is nil: pass a clientset of openshift/client-go's machineconfiguration group"}
	case c.NodeName == "":
		return c, &ConfigError{Field: "NodeName", Problem: "is empty: pass the name of the Node that the daemon runs on"}
	case c.Node == nil:
		return c, &ConfigError{Field: "Node", Problem: "is nil: pass a function that returns the daemon's view of its Node"}
	}
	if c.Pool == nil {
		c.Pool = func(*corev1.Node) (string, error) { return NotYetSet, nil }
	}
	if c.ImageMode == nil {
		c.ImageMode = func() bool { return false }
	}
	if isNil(c.Lister) {
		c.Lister = nil
	}
	if c.FieldManager == "" {
		c.FieldManager = DefaultFieldManager
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if isNil(c.Clock) {
		c.Clock = clock.RealClock{}
	}
	return c, nil
}

// scope returns the client that keeps the Monitor to its one object.
func (c Config) scope() (*scope.Client, error) {
	client, err := scope.NewClient(c.Client.MachineconfigurationV1().MachineConfigNodes(), c.NodeName)
	if err != nil {
		return nil, &ConfigError{Field: "NodeName", Problem: "cannot be used", Err: err}
	}
	return client, nil
}

// isNil reports whether an interface holds nothing, or a nil pointer.
func isNil(i any) bool {
	v := reflect.ValueOf(i)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}
