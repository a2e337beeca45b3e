package upgrademonitor

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// state is what a plan starts from and what a write leads to.
type state struct {
	// object is the MachineConfigNode as it was last read or written. It is never changed.
	object *mcfgv1.MachineConfigNode
	// remembered is what the update under way is for, where this Monitor saw it begin.
	remembered target
}

// withStatus returns the state that a write of the status leads to.
func (s state) withStatus(status mcfgv1.MachineConfigNodeStatus) state {
	object := *s.object
	object.Status = status
	s.object = &object
	return s
}

func (s state) isTrue(p phases.Phase) bool {
	return conditions.StatusOf(s.object.Status.Conditions, p) == metav1.ConditionTrue
}

// underway is what the update under way is for; between updates, what the last one was.
//
// Once it was prepared, the status says so. Before, the Monitor that saw it begin knows;
// after a restart of the daemon the spec is the best that is left.
func (s state) underway() target {
	status, spec := s.object.Status, s.object.Spec
	prepared := s.isTrue(phases.UpdatePrepared) || s.isTrue(phases.Updated)
	switch {
	case prepared && status.ConfigVersion != nil:
		return target{config: status.ConfigVersion.Desired}
	case s.remembered != target{}:
		return s.remembered
	default:
		return target{config: spec.ConfigVersion.Desired}
	}
}
