package rollout

import (
	"cmp"
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodepool"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// sync brings the object of a node up to date.
//
//  1. If the object is up to date according to the caches, no request is made.
//  2. Otherwise the Node is read from the API server, because the cached Node may be older than the
//     Node that the daemon used for its last write. The Node is read after the object, so it is at
//     least as new as the Node that the daemon used.
//  3. A write fails if another process has written the object since it was read. So the controller
//     never reverts a newer write of the daemon. After such a failure, the object is read from the
//     API server, because the cache may be out of date for a while after an outage.
//  4. After three attempts, the sync fails.
func (r *reconciler) sync(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	// The only error of a lister is NotFound, and then the object is nil.
	node, _ := r.Nodes.Lister().Get(name)
	mcn, _ := r.MachineConfigNodes.Lister().Get(name)
	if node == nil {
		r.conflicts.Delete(name)
	}
	for attempt := 1; ; attempt++ {
		err := r.syncObject(ctx, name, node, mcn)
		isOutdated := apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)
		if !isOutdated || attempt == 3 {
			return err
		}
		if mcn, err = r.readObject(ctx, name); err != nil {
			return err
		}
	}
}

// readObject reads the object of a node from the API server. It returns nil if there is no object.
func (r *reconciler) readObject(ctx context.Context, name string) (*mcfgv1.MachineConfigNode, error) {
	client := r.Client.MachineconfigurationV1().MachineConfigNodes()
	mcn, err := client.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read MachineConfigNode %s: %w", name, err)
	}
	return mcn, nil
}

// syncObject makes one attempt of sync. node comes from the cache, and mcn from the cache or the
// API server. An object that does not exist is nil.
func (r *reconciler) syncObject(
	ctx context.Context, name string, node *corev1.Node, mcn *mcfgv1.MachineConfigNode,
) error {
	if r.action(ctx, node, mcn) == (action{}) {
		return nil
	}
	node, err := r.KubeClient.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		node = nil
	} else if err != nil {
		return fmt.Errorf("read Node %s: %w", name, err)
	}
	if a := r.action(ctx, node, mcn); a != (action{}) {
		return r.write(ctx, mcn, a)
	}
	return nil
}

// action returns the action for a node, and records an event if conflicting pools select the node.
//
//  1. If pools conflict, the object keeps its pool. Its other fields are kept up to date.
//  2. On a cluster without pools, there is no action, because no machine-config-daemon runs there.
func (r *reconciler) action(ctx context.Context, node *corev1.Node, mcn *mcfgv1.MachineConfigNode) action {
	pools, _ := r.Pools.Lister().List(labels.Everything())
	if len(pools) == 0 {
		return action{}
	}
	isImage := mcn != nil && planner.ModeOf(mcn.Status.Conditions) == planner.Image
	if r.ImageMode != nil {
		isImage = r.ImageMode()
	}
	name := ""
	if node != nil {
		primary, conflict := nodepool.Primary(node, pools)
		r.recordConflict(ctx, node, conflict)
		if primary != nil {
			name = primary.Name
		}
	}
	return actionFor(ctx, node, mcn, name, isImage)
}

// write makes the request of an action, and logs it. It fails if the object has changed since current
// was read. current is nil if there is no object.
func (r *reconciler) write(ctx context.Context, current *mcfgv1.MachineConfigNode, a action) error {
	client := r.Client.MachineconfigurationV1().MachineConfigNodes()
	name, verb := cmp.Or(a.desired, current).Name, "patch"
	var err error
	switch {
	case a.deletion != "":
		verb = "delete"
		known := &metav1.Preconditions{UID: &current.UID, ResourceVersion: &current.ResourceVersion}
		err = client.Delete(ctx, name, metav1.DeleteOptions{Preconditions: known})
	case current == nil:
		verb = "create"
		_, err = client.Create(ctx, a.desired, metav1.CreateOptions{FieldManager: r.FieldManager})
	default:
		request := planner.Request{Verb: planner.PatchSpec, Base: planner.FromTyped(current), Next: planner.FromTyped(a.desired).State}
		var body []byte
		if body, err = request.Patch(); err == nil {
			_, err = client.Patch(ctx, name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: r.FieldManager})
		}
	}
	if err != nil {
		return fmt.Errorf("%s MachineConfigNode %s: %w", verb, name, err)
	}
	logger := klog.FromContext(ctx).V(2)
	if a.deletion != "" {
		logger = logger.WithValues("reason", a.deletion)
	}
	logger.Info("Wrote MachineConfigNode", "verb", verb, "node", name)
	return nil
}
