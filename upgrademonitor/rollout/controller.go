package rollout

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/controller"
)

// Controller keeps one MachineConfigNode for each Node. Create it with New.
type Controller struct {
	config Config
}

// New returns a Controller. It makes no request, but requests the informers from their
// factories: call it before they are started. An invalid field is a *field.Error.
func New(config Config) (*Controller, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	config.Nodes.Informer()
	config.Pools.Informer()
	config.MachineConfigNodes.Informer()
	return &Controller{config: config}, nil
}

// Run waits for the informers to sync, and keeps the objects up to date until ctx ends, syncing
// as many nodes at a time as there are workers (at least one). Then it returns nil, and none of
// its goroutines is left. One replica should run it, the leader: two would not
// contradict each other, but do the work twice. An error means that an informer has been stopped.
func (c *Controller) Run(ctx context.Context, workers int) error {
	return c.newReconciler().controller.Run(ctx, workers)
}

// reconciler is one Run of a Controller. What it remembers is by the name of a node.
type reconciler struct {
	*Controller
	controller *controller.Controller
	conflicts  controller.Memory[string]    // of pools over a node, as they were recorded
	windows    controller.Memory[types.UID] // Windows nodes whose object was deleted
	orphans    controller.Memory[orphan]
}

func (c *Controller) newReconciler() *reconciler {
	r := &reconciler{Controller: c}
	r.controller = controller.New(controller.Options{
		Name:  "machineconfignode-rollout",
		Kind:  "MachineConfigNode",
		Watch: r.watch,
		Sync:  r.sync,
		Clock: c.config.Clock,
	})
	return r
}
