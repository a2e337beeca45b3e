package rollout

import (
	"cmp"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions/machineconfiguration/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"

	"github.com/openshift/upgrademonitor/internal/validate"
)

// Config configures a Controller.
type Config struct {
	// Client reads and writes MachineConfigNodes. Required.
	Client mcfgclientset.Interface
	// KubeClient reads the Node before each write of a MachineConfigNode. Required.
	KubeClient kubernetes.Interface
	// Nodes, Pools and MachineConfigNodes are informers for all objects of these types. Required. The
	// caller starts their factories after New.
	Nodes              coreinformers.NodeInformer
	Pools              mcfginformers.MachineConfigPoolInformer
	MachineConfigNodes mcfginformers.MachineConfigNodeInformer
	// Recorder records warning events for problems that an administrator must resolve: PoolConflict
	// of a Node that conflicting pools select (see pool.ConflictError), and InvalidNodeSelector of a
	// pool. If Recorder is nil, the problems are only logged.
	Recorder record.EventRecorder
	// ImageMode reports whether nodes are in image mode: whether the feature gate
	// ImageModeStatusReporting is on. It must be safe for concurrent use. If ImageMode is nil, an
	// existing object keeps its mode, and a new object is in standard mode.
	ImageMode func() bool
	// FieldManager is the field manager of all writes. The default is machine-config-operator-rollout.
	FieldManager string
	// Timeout limits the total time of the requests for one sync of a node. The default is 10 seconds.
	Timeout time.Duration
}

func (c Config) complete() (Config, error) {
	path := field.NewPath("rollout", "Config")
	const informer = "pass an informer of a shared informer factory that is not started yet"
	err := validate.Required(path,
		validate.Field{Name: "Client", Value: c.Client, Hint: "pass the machineconfiguration clientset of openshift/client-go"},
		validate.Field{Name: "KubeClient", Value: c.KubeClient, Hint: "pass the kubernetes clientset of client-go"},
		validate.Field{Name: "Nodes", Value: c.Nodes, Hint: informer},
		validate.Field{Name: "Pools", Value: c.Pools, Hint: informer},
		validate.Field{Name: "MachineConfigNodes", Value: c.MachineConfigNodes, Hint: informer},
	)
	if err != nil {
		return c, err
	}
	if errs := metav1validation.ValidateFieldManager(c.FieldManager, path.Child("FieldManager")); len(errs) > 0 {
		return c, errs[0]
	}
	c.FieldManager = cmp.Or(c.FieldManager, "machine-config-operator-rollout")
	c.Timeout = cmp.Or(max(c.Timeout, 0), 10*time.Second)
	return c, nil
}
