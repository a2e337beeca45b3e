package rollout

import (
	"cmp"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// Defaults of a Config.
const (
	DefaultFieldManager = "machine-config-operator-rollout"
	DefaultTimeout      = 10 * time.Second
	DefaultOrphanGrace  = time.Minute
)

// Config configures a Controller. The informers are those of shared factories, which the
// embedding process starts; pool.Trim keeps their caches small.
type Config struct {
	// Client writes the MachineConfigNodes. Required.
	Client mcfgclientset.Interface
	// KubeClient reads a Node before its object is written. Required.
	KubeClient kubernetes.Interface
	// Nodes, Pools and MachineConfigNodes are the informers of all of them. Required.
	Nodes              coreinformers.NodeInformer
	Pools              mcfginformers.MachineConfigPoolInformer
	MachineConfigNodes mcfginformers.MachineConfigNodeInformer
	// Recorder records what an administrator has to resolve, see PoolConflict. By default it is
	// only logged.
	Recorder record.EventRecorder
	// ImageMode reports whether the feature gate ImageModeStatusReporting is on. It is called
	// from several goroutines. The default is the same as that of an upgrademonitor.Config: the mode
	// that an object is in, and standard mode for a new one.
	ImageMode func() bool
	// FieldManager owns the fields that are written. The default is DefaultFieldManager.
	FieldManager string
	// Timeout bounds one sync of a node. If it is not positive, it is DefaultTimeout.
	Timeout time.Duration
	// OrphanGrace is how long an object without a Node is left to the garbage collector. If it is
	// not positive, it is DefaultOrphanGrace.
	OrphanGrace time.Duration
	// Clock is the time for retries and the OrphanGrace. The default is the real one.
	Clock clock.WithTicker
}

// complete validates the required fields and sets the defaults of the others. An error is a
// *field.Error.
func (c Config) complete() (Config, error) {
	if err := validate.Required(field.NewPath("rollout", "Config"),
		validate.Field{Name: "Client", Value: c.Client, Hint: "pass a clientset of openshift/client-go's machineconfiguration group"},
		validate.Field{Name: "KubeClient", Value: c.KubeClient, Hint: "pass a clientset of client-go"},
		validate.Field{Name: "Nodes", Value: c.Nodes, Hint: "pass Core().V1().Nodes() of a shared informer factory"},
		validate.Field{Name: "Pools", Value: c.Pools, Hint: "pass Machineconfiguration().V1().MachineConfigPools() of a shared informer factory"},
		validate.Field{Name: "MachineConfigNodes", Value: c.MachineConfigNodes, Hint: "pass Machineconfiguration().V1().MachineConfigNodes() of a shared informer factory"},
	); err != nil {
		return c, err
	}
	if validate.IsNil(c.Recorder) {
		c.Recorder = nil
	}
	c.FieldManager = cmp.Or(c.FieldManager, DefaultFieldManager)
	c.Timeout = cmp.Or(max(c.Timeout, 0), DefaultTimeout)
	c.OrphanGrace = cmp.Or(max(c.OrphanGrace, 0), DefaultOrphanGrace)
	if validate.IsNil(c.Clock) {
		c.Clock = clock.RealClock{}
	}
	return c, nil
}
