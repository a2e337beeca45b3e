package api

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/core"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// FromTyped returns an object of a typed client or an informer. It shares memory with mcn, and does
// not change it.
func FromTyped(mcn *mcfgv1.MachineConfigNode) core.Object {
	o := core.Object{UID: mcn.UID, ResourceVersion: mcn.ResourceVersion, State: plan.State{
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
		if phases.KindOf(phases.Phase(c.Type)) != "" {
			o.Status.Conditions = append(o.Status.Conditions, c)
		} else {
			o.Foreign = append(o.Foreign, c)
		}
	}
	return o
}
