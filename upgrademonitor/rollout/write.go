package rollout

import (
	"context"
	"encoding/json"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/controller"
)

// write makes the request of a plan. An object that has changed since it was read is a conflict,
// and is not changed.
func (r *reconciler) write(ctx context.Context, node *corev1.Node, p plan) error {
	switch p.step {
	case create:
		return r.create(ctx, p.desired)
	case update:
		return r.update(ctx, p.current, p.desired)
	case replace:
		return r.delete(ctx, p.current, "it belongs to a previous Node of this name")
	case remove:
		if err := r.delete(ctx, p.current, "it is that of a Windows node"); err != nil {
			return err
		}
		r.windows.Set(node.Name, node.UID)
	}
	return nil
}

// create creates an object. One that exists already is a conflict: the cache lags behind.
func (r *reconciler) create(ctx context.Context, desired *mcfgv1.MachineConfigNode) error {
	if _, err := r.client().Create(ctx, desired, metav1.CreateOptions{FieldManager: r.config.FieldManager}); err != nil {
		return fmt.Errorf("create MachineConfigNode %s: %w", desired.Name, err)
	}
	logWrite(ctx, "Created MachineConfigNode", desired)
	return nil
}

// update writes what differs from the Node, regardless of who has set it: owners and spec.
func (r *reconciler) update(ctx context.Context, current, desired *mcfgv1.MachineConfigNode) error {
	spec, err := controller.MergePatch(current.Spec, desired.Spec)
	if err != nil {
		return fmt.Errorf("encode MachineConfigNode %s: %w", desired.Name, err)
	}
	body, err := json.Marshal(map[string]any{
		"metadata": map[string]any{
			"uid": current.UID, "resourceVersion": current.ResourceVersion, "ownerReferences": desired.OwnerReferences,
		},
		"spec": spec,
	})
	if err != nil {
		return fmt.Errorf("encode MachineConfigNode %s: %w", desired.Name, err)
	}
	options := metav1.PatchOptions{FieldManager: r.config.FieldManager}
	if _, err := r.client().Patch(ctx, desired.Name, types.MergePatchType, body, options); err != nil {
		return fmt.Errorf("patch MachineConfigNode %s: %w", desired.Name, err)
	}
	logWrite(ctx, "Updated MachineConfigNode", desired)
	return nil
}

func logWrite(ctx context.Context, message string, desired *mcfgv1.MachineConfigNode) {
	klog.FromContext(ctx).V(2).Info(message, "node", desired.Name, "pool", desired.Spec.Pool.Name, "desiredConfig", desired.Spec.ConfigVersion.Desired)
}

// delete deletes an object, unless it has changed. An object that does not exist is no error.
func (r *reconciler) delete(ctx context.Context, mcn *mcfgv1.MachineConfigNode, reason string) error {
	err := r.client().Delete(ctx, mcn.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &mcn.UID, ResourceVersion: &mcn.ResourceVersion},
	})
	if controller.IsObjectMissing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete MachineConfigNode %s: %w", mcn.Name, err)
	}
	klog.FromContext(ctx).Info("Deleted MachineConfigNode", "node", mcn.Name, "reason", reason)
	return nil
}
