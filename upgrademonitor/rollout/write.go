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

// write makes the request of a plan. An object that has changed since it was read, or exists where
// none was, is a conflict, and is not changed. One that does not exist need not be deleted.
func (r *reconciler) write(ctx context.Context, current *mcfgv1.MachineConfigNode, p plan) error {
	client := r.config.Client.MachineconfigurationV1().MachineConfigNodes()
	logger := klog.FromContext(ctx)
	switch {
	case p.deletion != "":
		preconditions := &metav1.Preconditions{UID: &current.UID, ResourceVersion: &current.ResourceVersion}
		err := client.Delete(ctx, current.Name, metav1.DeleteOptions{Preconditions: preconditions})
		if apierr.Classify(err) == apierr.NotFound {
			return nil
		}
		if err != nil {
			return fmt.Errorf("delete MachineConfigNode %s: %w", current.Name, err)
		}
		logger.Info("Deleted MachineConfigNode", "node", current.Name, "reason", p.deletion)
		return nil
	case current == nil:
		if _, err := client.Create(ctx, p.desired, metav1.CreateOptions{FieldManager: r.config.FieldManager}); err != nil {
			return fmt.Errorf("create MachineConfigNode %s: %w", p.desired.Name, err)
		}
	default:
		body, err := controller.MergePatch(map[string]any{
			"uid": current.UID, "resourceVersion": current.ResourceVersion, "ownerReferences": p.desired.OwnerReferences,
		}, "spec", current.Spec, p.desired.Spec)
		if err != nil {
			return fmt.Errorf("encode MachineConfigNode %s: %w", current.Name, err)
		}
		options := metav1.PatchOptions{FieldManager: r.config.FieldManager}
		if _, err := client.Patch(ctx, current.Name, types.MergePatchType, body, options); err != nil {
			return fmt.Errorf("patch MachineConfigNode %s: %w", current.Name, err)
		}
	}
	logger.V(2).Info("Wrote MachineConfigNode", "node", p.desired.Name, "pool", p.desired.Spec.Pool.Name, "desiredConfig", p.desired.Spec.ConfigVersion.Desired)
	return nil
}
