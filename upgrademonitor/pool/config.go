package pool

import (
	"reflect"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions/machineconfiguration/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/utils/clock"
)

// What a Config's empty fields stand for.
const (
	DefaultFieldManager = "machine-config-operator-pool"
	DefaultInterval     = time.Second
	DefaultTimeout      = 10 * time.Second
)

// Config is what a Controller is made of. The informers are shared with the host, which starts
// their factories after New. Trim keeps their caches small.
type Config struct {
	// Client writes the status of pools. Required.
	Client mcfgclientset.Interface
	// Nodes knows all Nodes of the cluster. Required.
	Nodes coreinformers.NodeInformer
	// Pools knows all MachineConfigPools. Required.
	Pools mcfginformers.MachineConfigPoolInformer
	// MachineConfigNodes knows all MachineConfigNodes. Required.
	MachineConfigNodes mcfginformers.MachineConfigNodeInformer
	// Image returns the image that the nodes of a pool are to have, "" where each node's
	// MachineConfigNode says it. Set it only where daemons report images: the feature gate
	// ImageModeStatusReporting is on. It is called by the workers, and must not block or change the pool.
	// By default it returns "".
	Image func(*mcfgv1.MachineConfigPool) string
	// FieldManager owns the fields that are written. By default it is DefaultFieldManager.
	FieldManager string
	// Interval is the least time between two writes of one pool's status. The first change after a
	// quiet time is written at once. By default, and if it is not positive, it is DefaultInterval.
	Interval time.Duration
	// Timeout bounds a request, in real time. By default, and if it is not positive, it is
	// DefaultTimeout.
	Timeout time.Duration
	// Clock tells the time for lastTransitionTime, Interval and retries. By default it is real.
	Clock clock.WithTicker
}

// complete checks the required fields and fills in the others.
func (c Config) complete() (Config, error) {
	switch {
	case isNil(c.Client):
		return c, &ConfigError{Field: "Client", Problem: "is nil: pass a clientset of openshift/client-go's machineconfiguration group"}
	case isNil(c.Nodes):
		return c, &ConfigError{Field: "Nodes", Problem: "is nil: pass the informer of a client-go factory, Core().V1().Nodes()"}
	case isNil(c.Pools):
		return c, &ConfigError{Field: "Pools", Problem: "is nil: pass the informer of an openshift/client-go factory, Machineconfiguration().V1().MachineConfigPools()"}
	case isNil(c.MachineConfigNodes):
		return c, &ConfigError{Field: "MachineConfigNodes", Problem: "is nil: pass the informer of an openshift/client-go factory, Machineconfiguration().V1().MachineConfigNodes()"}
	}
	if c.Image == nil {
		c.Image = func(*mcfgv1.MachineConfigPool) string { return "" }
	}
	if c.FieldManager == "" {
		c.FieldManager = DefaultFieldManager
	}
	if c.Interval <= 0 {
		c.Interval = DefaultInterval
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if isNil(c.Clock) {
		c.Clock = clock.RealClock{}
	}
	return c, nil
}

// isNil reports whether an interface holds nothing, or a nil pointer.
func isNil(i any) bool {
	v := reflect.ValueOf(i)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}
