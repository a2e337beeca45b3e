package rollout

import (
	"context"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/controller"
)

// write makes the request of an action. An object that has changed since it was read, or exists where
// none was, is a conflict, and is not changed. One that does not exist need not be deleted.
func (r *reconciler) write(ctx context.Context, current *mcfgv1.MachineConfigNode, a action) error {
	client := r.config.Client.MachineconfigurationV1().MachineConfigNodes()
	logger := klog.FromContext(ctx)
	switch {
	case a.deletion != "":
		preconditions := &metav1.Preconditions{UID: &current.UID, ResourceVersion: &current.ResourceVersion}
		err := client.Delete(ctx, current.Name, metav1.DeleteOptions{Preconditions: preconditions})
		if apierr.Classify(err) == apierr.NotFound {
			return nil
		}
		if err != nil {
			return fmt.Errorf("delete MachineConfigNode %s: %w", current.Name, err)
		}
		logger.Info("Deleted MachineConfigNode", "node", current.Name, "reason", a.deletion)
		return nil
	case current == nil:
		if _, err := client.Create(ctx, a.desired, metav1.CreateOptions{FieldManager: r.config.FieldManager}); err != nil {
			return fmt.Errorf("create MachineConfigNode %s: %w", a.desired.Name, err)
		}
	default:
		body, err := controller.MergePatch(map[string]any{
			"uid": current.UID, "resourceVersion": current.ResourceVersion, "ownerReferences": a.desired.OwnerReferences,
		}, "spec", current.Spec, a.desired.Spec)
		if err != nil {
			return fmt.Errorf("encode MachineConfigNode %s: %w", current.Name, err)
		}
		options := metav1.PatchOptions{FieldManager: r.config.FieldManager}
		if _, err := client.Patch(ctx, current.Name, types.MergePatchType, body, options); err != nil {
			return fmt.Errorf("patch MachineConfigNode %s: %w", current.Name, err)
		}
	}
	logger.V(2).Info("Wrote MachineConfigNode", "node", a.desired.Name, "pool", a.desired.Spec.Pool.Name, "desiredConfig", a.desired.Spec.ConfigVersion.Desired)
	return nil
}
