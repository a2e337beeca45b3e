package pool

import (
	"cmp"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// Defaults of a Config.
const (
	DefaultFieldManager = "machine-config-operator-pool"
	DefaultInterval     = 5 * time.Second
	DefaultTimeout      = 10 * time.Second
)

// Config configures a Controller. The informers are those of shared factories, which the
// embedding process starts after New. Trim keeps their caches small.
type Config struct {
	// Client writes the status of pools. Required.
	Client mcfgclientset.Interface
	// Nodes is the informer of all Nodes of the cluster. Required.
	Nodes coreinformers.NodeInformer
	// Pools is the informer of all MachineConfigPools. Required.
	Pools mcfginformers.MachineConfigPoolInformer
	// MachineConfigNodes is the informer of all MachineConfigNodes. Required.
	MachineConfigNodes mcfginformers.MachineConfigNodeInformer
	// Image returns the desired OS image of the nodes of a pool. Set it on clusters with layered
	// pools: without it, a pool is Updated until its first node desires a new image. When its
	// result changes, the pool must change, too, for example an annotation, or Controller.Enqueue
	// must be called. It is called by the workers, and must not block or change the pool. By
	// default the image is unknown.
	Image func(*mcfgv1.MachineConfigPool) Image
	// DegradeOnPinnedImageSets makes a pool Degraded if the images of a node cannot be pinned.
	// It is off by default: daemons of some releases report this for images that take long to pull.
	DegradeOnPinnedImageSets bool
	// Recorder records the events EventUpdating and EventCompleted of pools, in the namespace default.
	// By default there are none.
	Recorder record.EventRecorder
	// FieldManager owns the fields that are written. The default is DefaultFieldManager.
	FieldManager string
	// Interval is the minimum time between two writes of one pool's status, each of which is sent to
	// every daemon. The first change after a quiet time is written at once. If it is not positive, it
	// is DefaultInterval.
	Interval time.Duration
	// Timeout bounds a request, in real time. If it is not positive, it is DefaultTimeout.
	Timeout time.Duration
	// Clock is the time for lastTransitionTime, Interval and retries. The default is the real one.
	Clock clock.WithTicker
}

// complete validates the required fields and sets the defaults of the others. An error is a
// *field.Error.
func (c Config) complete() (Config, error) {
	if err := validate.Required(field.NewPath("pool", "Config"),
		validate.Field{Name: "Client", Value: c.Client, Hint: "pass a clientset of openshift/client-go's machineconfiguration group"},
		validate.Field{Name: "Nodes", Value: c.Nodes, Hint: "pass Core().V1().Nodes() of a shared informer factory"},
		validate.Field{Name: "Pools", Value: c.Pools, Hint: "pass Machineconfiguration().V1().MachineConfigPools() of a shared informer factory"},
		validate.Field{Name: "MachineConfigNodes", Value: c.MachineConfigNodes, Hint: "pass Machineconfiguration().V1().MachineConfigNodes() of a shared informer factory"},
	); err != nil {
		return c, err
	}
	if c.Image == nil {
		c.Image = func(*mcfgv1.MachineConfigPool) Image { return Image{} }
	}
	if validate.IsNil(c.Recorder) {
		c.Recorder = nil
	}
	c.FieldManager = cmp.Or(c.FieldManager, DefaultFieldManager)
	c.Interval = cmp.Or(max(c.Interval, 0), DefaultInterval)
	c.Timeout = cmp.Or(max(c.Timeout, 0), DefaultTimeout)
	if validate.IsNil(c.Clock) {
		c.Clock = clock.RealClock{}
	}
	return c, nil
}
