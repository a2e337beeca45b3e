package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/klog/v2"
)

// do takes a step. An object that has changed since it was read gives a conflict, and is
// not changed.
func (c *Controller) do(ctx context.Context, p plan) error {
	switch p.step {
	case create, update:
		return c.write(ctx, p)
	case replace:
		return c.remove(ctx, p.on, "its Node was made anew")
	}
	return nil
}

// write creates the object or makes it what it is to be.
func (c *Controller) write(ctx context.Context, p plan) error {
	on := p.on
	if on != nil && (imageGoes(on, p.want) || ownersGo(on, p.want)) {
		var err error
		if on, err = c.drop(ctx, on, p.want); err != nil {
			return err
		}
	}
	// Without force where the cache has no object: it may be behind, and what somebody else has
	// written by now then gives a conflict.
	options := metav1.ApplyOptions{FieldManager: c.config.FieldManager, Force: on != nil}
	_, err := c.nodes().Apply(ctx, applyOf(on, p.want), options)
	if undeclared(err) && !c.noImages.Swap(true) {
		klog.FromContext(ctx).Info("Warning: left out the images of the nodes, for the CRD of MachineConfigNode has no configImage: it is that of another feature set")
	}
	if err != nil {
		return fmt.Errorf("apply MachineConfigNode %s: %w", p.want.Name, err)
	}
	klog.FromContext(ctx).V(2).Info("Applied a MachineConfigNode", "node", p.want.Name, "new", p.on == nil,
		"pool", p.want.Spec.Pool.Name, "desiredConfig", p.want.Spec.ConfigVersion.Desired)
	return nil
}

// applyOf carries all that this controller owns, and nothing else: the Node among the
// owners, and the spec. What it was computed from is its precondition.
func applyOf(on, want *mcfgv1.MachineConfigNode) *mcfgapply.MachineConfigNodeApplyConfiguration {
	spec := mcfgapply.MachineConfigNodeSpec().
		WithNode(mcfgapply.MCOObjectReference().WithName(want.Spec.Node.Name)).
		WithPool(mcfgapply.MCOObjectReference().WithName(want.Spec.Pool.Name)).
		WithConfigVersion(mcfgapply.MachineConfigNodeSpecMachineConfigVersion().WithDesired(want.Spec.ConfigVersion.Desired))
	if image := want.Spec.ConfigImage.DesiredImage; image != "" {
		spec.WithConfigImage(mcfgapply.MachineConfigNodeSpecConfigImage().WithDesiredImage(image))
	}
	apply := mcfgapply.MachineConfigNode(want.Name).WithSpec(spec)
	for _, owner := range want.OwnerReferences {
		if isNode(owner, want.Name) {
			apply.WithOwnerReferences(metaapply.OwnerReference().
				WithAPIVersion(owner.APIVersion).WithKind(owner.Kind).WithName(owner.Name).WithUID(owner.UID))
		}
	}
	if on != nil {
		apply.WithUID(on.UID).WithResourceVersion(on.ResourceVersion)
	}
	return apply
}

func imageGoes(on, want *mcfgv1.MachineConfigNode) bool {
	return on.Spec.ConfigImage.DesiredImage != "" && want.Spec.ConfigImage.DesiredImage == ""
}

// ownersGo reports whether one of the owners, another Node, is to be none any more.
func ownersGo(on, want *mcfgv1.MachineConfigNode) bool {
	return slices.ContainsFunc(on.OwnerReferences, func(owner metav1.OwnerReference) bool {
		return !slices.ContainsFunc(want.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == owner.UID })
	})
}

// drop removes the image that the node no longer names, and the owners that are other Nodes,
// whoever has set them: what an apply leaves out stays where another field manager owns it too.
func (c *Controller) drop(ctx context.Context, on, want *mcfgv1.MachineConfigNode) (*mcfgv1.MachineConfigNode, error) {
	metadata := map[string]any{"uid": on.UID, "resourceVersion": on.ResourceVersion}
	changes := map[string]any{"metadata": metadata}
	if ownersGo(on, want) {
		metadata["ownerReferences"] = want.OwnerReferences
	}
	if imageGoes(on, want) {
		changes["spec"] = map[string]any{"configImage": nil}
	}
	patch, err := json.Marshal(changes)
	if err != nil {
		return nil, err
	}
	after, err := c.nodes().Patch(ctx, on.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: c.config.FieldManager})
	if err != nil {
		return nil, fmt.Errorf("remove image or owners of MachineConfigNode %s: %w", on.Name, err)
	}
	return after, nil
}

// remove deletes an object, unless it has changed. One that is gone is no error.
func (c *Controller) remove(ctx context.Context, on *mcfgv1.MachineConfigNode, why string) error {
	err := c.nodes().Delete(ctx, on.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &on.UID, ResourceVersion: &on.ResourceVersion},
	})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete MachineConfigNode %s: %w", on.Name, err)
	}
	klog.FromContext(ctx).Info("Deleted a MachineConfigNode", "node", on.Name, "why", why)
	return nil
}

// undeclared reports whether the CRD does not have a field that was applied: the one for
// images is behind a feature gate.
func undeclared(err error) bool {
	return apierrors.IsInternalError(err) && strings.Contains(err.Error(), "field not declared in schema")
}
