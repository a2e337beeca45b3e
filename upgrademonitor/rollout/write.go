package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
)

// execute makes the requests of a plan. An object that has changed since it was read is a
// conflict, and is not changed.
func (r *reconciler) execute(ctx context.Context, node *corev1.Node, p plan) error {
	switch p.step {
	case create, update:
		return r.apply(ctx, p)
	case replace:
		return r.delete(ctx, p.current, "it belongs to a previous Node of this name")
	case remove:
		if err := r.delete(ctx, p.current, "it is that of a Windows node"); err != nil {
			return err
		}
		r.windows.add(node.Name, string(node.UID))
	}
	return nil
}

// apply creates or updates an object.
func (r *reconciler) apply(ctx context.Context, p plan) error {
	current := p.current
	if current != nil && (dropsImage(current, p.desired) || dropsOwners(current, p.desired)) {
		var err error
		if current, err = r.clearFields(ctx, current, p.desired); err != nil {
			return err
		}
	}
	// Without force if the cache has no object: it may lag behind, and what another process has
	// written by now is then a conflict.
	options := metav1.ApplyOptions{FieldManager: r.config.FieldManager, Force: current != nil}
	_, err := r.client().Apply(ctx, applyConfiguration(current, p.desired), options)
	if apierr.Classify(err) == apierr.NoImageField && r.images.lost(ctx, err, r.config.Clock.Now()) {
		r.queue.AddAfter(recheckImages, imageFieldRecheck)
	}
	if err != nil {
		return fmt.Errorf("apply MachineConfigNode %s: %w", p.desired.Name, err)
	}
	if p.desired.Spec.ConfigImage.DesiredImage != "" && r.images.found(ctx) {
		r.enqueueAll(ctx) // the others have none yet
	}
	if p.current == nil {
		r.created.add(p.desired.Name, "")
	}
	klog.FromContext(ctx).V(2).Info("Applied MachineConfigNode", "node", p.desired.Name, "created", p.current == nil,
		"pool", p.desired.Spec.Pool.Name, "desiredConfig", p.desired.Spec.ConfigVersion.Desired)
	return nil
}

// applyConfiguration contains all that this controller owns, and nothing else: the Node among the
// owners, and the spec. The object that it was computed from is its precondition.
func applyConfiguration(current, desired *mcfgv1.MachineConfigNode) *mcfgapply.MachineConfigNodeApplyConfiguration {
	spec := mcfgapply.MachineConfigNodeSpec().
		WithNode(mcfgapply.MCOObjectReference().WithName(desired.Spec.Node.Name)).
		WithPool(mcfgapply.MCOObjectReference().WithName(desired.Spec.Pool.Name)).
		WithConfigVersion(mcfgapply.MachineConfigNodeSpecMachineConfigVersion().WithDesired(desired.Spec.ConfigVersion.Desired))
	if image := desired.Spec.ConfigImage.DesiredImage; image != "" {
		spec.WithConfigImage(mcfgapply.MachineConfigNodeSpecConfigImage().WithDesiredImage(image))
	}
	apply := mcfgapply.MachineConfigNode(desired.Name).WithSpec(spec)
	for _, owner := range desired.OwnerReferences {
		if nodeowner.Is(owner) && owner.Name == desired.Name {
			apply.WithOwnerReferences(metaapply.OwnerReference().
				WithAPIVersion(owner.APIVersion).WithKind(owner.Kind).WithName(owner.Name).WithUID(owner.UID))
		}
	}
	if current != nil {
		apply.WithUID(current.UID).WithResourceVersion(current.ResourceVersion)
	}
	return apply
}

func dropsImage(current, desired *mcfgv1.MachineConfigNode) bool {
	return current.Spec.ConfigImage.DesiredImage != "" && desired.Spec.ConfigImage.DesiredImage == ""
}

// dropsOwners reports whether an owner, another Node, has to be removed.
func dropsOwners(current, desired *mcfgv1.MachineConfigNode) bool {
	return slices.ContainsFunc(current.OwnerReferences, func(owner metav1.OwnerReference) bool {
		return !slices.ContainsFunc(desired.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == owner.UID })
	})
}

// clearFields removes an image that the node no longer names, and owners that are other Nodes,
// regardless of who has set them: what an apply omits is kept if another field manager owns it, too.
func (r *reconciler) clearFields(ctx context.Context, current, desired *mcfgv1.MachineConfigNode) (*mcfgv1.MachineConfigNode, error) {
	metadata := map[string]any{"uid": current.UID, "resourceVersion": current.ResourceVersion}
	changes := map[string]any{"metadata": metadata}
	if dropsOwners(current, desired) {
		metadata["ownerReferences"] = desired.OwnerReferences
	}
	if dropsImage(current, desired) {
		changes["spec"] = map[string]any{"configImage": nil}
	}
	patch, err := json.Marshal(changes)
	if err != nil {
		return nil, err
	}
	after, err := r.client().Patch(ctx, current.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: r.config.FieldManager})
	if err != nil {
		return nil, fmt.Errorf("clear image or owners of MachineConfigNode %s: %w", current.Name, err)
	}
	return after, nil
}

// delete deletes an object, unless it has changed. An object that does not exist is no error.
func (r *reconciler) delete(ctx context.Context, mcn *mcfgv1.MachineConfigNode, reason string) error {
	err := r.client().Delete(ctx, mcn.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &mcn.UID, ResourceVersion: &mcn.ResourceVersion},
	})
	if apierrors.IsNotFound(err) && apierr.Classify(err) != apierr.NoCRD {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete MachineConfigNode %s: %w", mcn.Name, err)
	}
	klog.FromContext(ctx).Info("Deleted MachineConfigNode", "node", mcn.Name, "reason", reason)
	return nil
}
