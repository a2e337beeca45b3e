package upgrademonitor

import (
	"context"
	"encoding/json"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/conditions"
)

// writeStatus is the write of a status. It is a server-side apply, unless something has to
// go: what an apply leaves out stays where another field manager owns it too.
func writeStatus(from, to state) write {
	if removes(from.object.Status, to.object.Status) {
		return write{next: to, send: (*Monitor).patchStatus}
	}
	return write{next: to, send: (*Monitor).applyStatus}
}

// noFieldValidation spares the API server parsing each write a second time, which it does by
// default to warn of fields that it does not know, and which is 7 % of what a write costs it.
// It knows them all but for the images, which are missed in the answer.
const noFieldValidation = metav1.FieldValidationIgnore

// applyStatus applies the status of a state. It carries all that this library owns, and
// nothing else: what an apply leaves out goes where nobody else owns it.
func (m *Monitor) applyStatus(ctx context.Context, on *mcfgv1.MachineConfigNode, next state) (*mcfgv1.MachineConfigNode, error) {
	status := next.object.Status
	apply := mcfgapply.MachineConfigNodeStatus()
	apply.Conditions = conditions.ToApply(status.Conditions)
	apply.PinnedImageSets = applyImageSets(status.PinnedImageSets)
	if generation := observedGeneration(on); generation > 0 {
		apply.WithObservedGeneration(generation)
	}
	if v := status.ConfigVersion; v != nil {
		apply.WithConfigVersion(mcfgapply.MachineConfigNodeStatusMachineConfigVersion().WithDesired(v.Desired))
		if v.Current != "" {
			apply.ConfigVersion.WithCurrent(v.Current)
		}
	}
	if image := status.ConfigImage; image != (mcfgv1.MachineConfigNodeStatusConfigImage{}) {
		apply.WithConfigImage(mcfgapply.MachineConfigNodeStatusConfigImage())
		if image.CurrentImage != "" {
			apply.ConfigImage.WithCurrentImage(image.CurrentImage)
		}
		if image.DesiredImage != "" {
			apply.ConfigImage.WithDesiredImage(image.DesiredImage)
		}
	}
	mcn := mcfgapply.MachineConfigNode(m.config.NodeName).WithStatus(apply)
	if on.ResourceVersion != "" {
		mcn.WithResourceVersion(on.ResourceVersion)
	}
	data, err := json.Marshal(mcn)
	if err != nil {
		return nil, err
	}
	force := true
	return m.client.Patch(ctx, m.config.NodeName, types.ApplyPatchType, data, metav1.PatchOptions{
		FieldManager:    m.config.FieldManager,
		Force:           &force,
		FieldValidation: noFieldValidation,
	}, "status")
}

// observedGeneration is the generation that the status is written on; it never decreases.
func observedGeneration(on *mcfgv1.MachineConfigNode) int64 {
	return max(on.Status.ObservedGeneration, on.Generation)
}

func applyImageSets(sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) []mcfgapply.MachineConfigNodeStatusPinnedImageSetApplyConfiguration {
	if len(sets) == 0 {
		return nil
	}
	applies := make([]mcfgapply.MachineConfigNodeStatusPinnedImageSetApplyConfiguration, len(sets))
	for i, set := range sets {
		apply := applies[i].WithName(set.Name)
		if set.CurrentGeneration > 0 {
			apply.WithCurrentGeneration(set.CurrentGeneration)
		}
		if set.DesiredGeneration > 0 {
			apply.WithDesiredGeneration(set.DesiredGeneration)
		}
		if set.LastFailedGeneration > 0 {
			apply.WithLastFailedGeneration(set.LastFailedGeneration)
		}
		if set.LastFailedGeneration > 0 || set.LastFailedGenerationError != "" {
			apply.WithLastFailedGenerationError(set.LastFailedGenerationError)
		}
	}
	return applies
}
