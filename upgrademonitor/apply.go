package upgrademonitor

import (
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
)

// applyStatus applies the status of w.next on the object as it is known, with its resource
// version as the precondition. It carries all that this library owns, and nothing else:
// what an apply leaves out goes where nobody else owns it.
func (m *Monitor) applyStatus(ctx context.Context, w write) (*mcfgv1.MachineConfigNode, error) {
	base, status := m.base(), w.next.object.Status
	apply := mcfgapply.MachineConfigNodeStatus()
	apply.Conditions = conditions.ToApply(status.Conditions)
	apply.PinnedImageSets = pinnedImageSets(status.PinnedImageSets)
	if generation := max(base.Status.ObservedGeneration, base.Generation); generation > 0 {
		apply.WithObservedGeneration(generation)
	}
	if v := status.ConfigVersion; v != nil {
		apply.WithConfigVersion(mcfgapply.MachineConfigNodeStatusMachineConfigVersion().WithDesired(v.Desired))
		if v.Current != "" {
			apply.ConfigVersion.WithCurrent(v.Current)
		}
	}
	return m.client.ApplyStatus(ctx, m.configurationOn(base).WithStatus(apply), m.applyOptions())
}

// base returns the object that a write is made on. Callers hold m.writing, and know it.
func (m *Monitor) base() *mcfgv1.MachineConfigNode {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.object
}

func (m *Monitor) configurationOn(base *mcfgv1.MachineConfigNode) *mcfgapply.MachineConfigNodeApplyConfiguration {
	mcn := mcfgapply.MachineConfigNode(m.config.NodeName)
	if base.ResourceVersion != "" {
		mcn.WithResourceVersion(base.ResourceVersion)
	}
	return mcn
}

func (m *Monitor) applyOptions() metav1.ApplyOptions {
	return metav1.ApplyOptions{FieldManager: m.config.FieldManager, Force: true}
}

func pinnedImageSets(sets []mcfgv1.MachineConfigNodeStatusPinnedImageSet) []mcfgapply.MachineConfigNodeStatusPinnedImageSetApplyConfiguration {
	var applies []mcfgapply.MachineConfigNodeStatusPinnedImageSetApplyConfiguration
	for _, set := range sets {
		apply := mcfgapply.MachineConfigNodeStatusPinnedImageSet().WithName(set.Name)
		if set.CurrentGeneration > 0 {
			apply.WithCurrentGeneration(set.CurrentGeneration)
		}
		if set.DesiredGeneration > 0 {
			apply.WithDesiredGeneration(set.DesiredGeneration)
		}
		if set.LastFailedGeneration > 0 {
			apply.WithLastFailedGeneration(set.LastFailedGeneration)
			apply.WithLastFailedGenerationError(set.LastFailedGenerationError)
		}
		applies = append(applies, *apply)
	}
	return applies
}
