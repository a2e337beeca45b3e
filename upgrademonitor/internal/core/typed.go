package core

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// FromTyped converts an object of a typed client or an informer. The result shares memory with mcn.
func FromTyped(mcn *mcfgv1.MachineConfigNode) Object {
	o := Object{UID: mcn.UID, ResourceVersion: mcn.ResourceVersion, State: plan.State{
		Generation: mcn.Generation,
		Owners:     mcn.OwnerReferences,
		Spec:       mcn.Spec,
		Status: mcfgv1.MachineConfigNodeStatus{
			ObservedGeneration: mcn.Status.ObservedGeneration,
			ConfigVersion:      mcn.Status.ConfigVersion,
			ConfigImage:        mcn.Status.ConfigImage,
			PinnedImageSets:    mcn.Status.PinnedImageSets,
		},
	}}
	for _, c := range mcn.Status.Conditions {
		if phases.KindOf(phases.Phase(c.Type)) == "" {
			o.Foreign = append(o.Foreign, c)
		} else {
			o.Status.Conditions = append(o.Status.Conditions, c)
		}
	}
	return o
}

// Typed returns the object before and after a patch. The results share memory with r.
func (r Request) Typed() (before, after *mcfgv1.MachineConfigNode) {
	before = r.Base.typed()
	base := r.Base
	if r.Verb == PatchSpec {
		base.Owners, base.Spec = r.Next.Owners, r.Next.Spec
	} else {
		base.Status = r.Next.Status
	}
	return before, base.typed()
}

func (o Object) typed() *mcfgv1.MachineConfigNode {
	mcn := &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{UID: o.UID, ResourceVersion: o.ResourceVersion, OwnerReferences: o.Owners},
		Spec:       o.Spec,
		Status:     o.Status,
	}
	mcn.Status.Conditions = slices.Concat(o.Status.Conditions, o.Foreign)
	return mcn
}
