package rollout

import (
	"reflect"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions/machineconfiguration/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
)

// What a Config's empty fields stand for.
const (
	DefaultFieldManager = "machine-config-operator-rollout"
	DefaultTimeout      = 10 * time.Second
	DefaultOrphanGrace  = time.Minute
)

// Config is what a Controller is made of. The informers are those of the host's shared
// factories, which the host starts; pool.Trim makes them lighter.
type Config struct {
	// Client writes the MachineConfigNodes. Required.
	Client mcfgclientset.Interface
	// KubeClient reads a Node before its object is written. Required.
	KubeClient kubernetes.Interface
	// Nodes, Pools and MachineConfigNodes say what there is. Required.
	Nodes              coreinformers.NodeInformer
	Pools              mcfginformers.MachineConfigPoolInformer
	MachineConfigNodes mcfginformers.MachineConfigNodeInformer
	// Recorder hears of what an administrator has to mend, see PoolConflict. By default it is
	// only logged.
	Recorder record.EventRecorder
	// ImageMode says whether the feature gate ImageModeStatusReporting is on. It is called
	// from several goroutines. By default it is off.
	ImageMode func() bool
	// FieldManager owns the fields that are applied. It must not be that of the Monitors. By
	// default it is DefaultFieldManager.
	FieldManager string
	// Timeout bounds what is done for a node at a time. By default, and if it is not
	// positive, it is DefaultTimeout.
	Timeout time.Duration
	// OrphanGrace is how long an object without a Node is left to the garbage collector. By
	// default, and if it is not positive, it is DefaultOrphanGrace.
	OrphanGrace time.Duration
	// Clock paces retries and the OrphanGrace. By default it is real.
	Clock clock.WithTicker
}

// complete checks the required fields and fills in the others.
func (c Config) complete() (Config, error) {
	for _, field := range []struct {
		name  string
		value any
		pass  string
	}{
		{"Client", c.Client, "a clientset of openshift/client-go's machineconfiguration group"},
		{"KubeClient", c.KubeClient, "a clientset of client-go"},
		{"Nodes", c.Nodes, "Core().V1().Nodes() of a shared informer factory"},
		{"Pools", c.Pools, "Machineconfiguration().V1().MachineConfigPools() of a shared informer factory"},
		{"MachineConfigNodes", c.MachineConfigNodes, "Machineconfiguration().V1().MachineConfigNodes() of a shared informer factory"},
	} {
		if isNil(field.value) {
			return c, &ConfigError{Field: field.name, Problem: "is nil: pass " + field.pass}
		}
	}
	if isNil(c.Recorder) {
		c.Recorder = nil
	}
	if c.ImageMode == nil {
		c.ImageMode = func() bool { return false }
	}
	if c.FieldManager == "" {
		c.FieldManager = DefaultFieldManager
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.OrphanGrace <= 0 {
		c.OrphanGrace = DefaultOrphanGrace
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
