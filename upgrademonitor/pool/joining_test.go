package pool_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// TestJoiningNode: a node joins a pool of one updated node, by what its object reports. Until it has
// joined, its pool is not Updating, and it is available if it is Ready and schedulable.
func TestJoiningNode(t *testing.T) {
	noUpdated := func(m *mcfgv1.MachineConfigNode) { m.Status.Conditions = m.Status.Conditions[:2] }
	noConfigs := configs("not-yet-set", "", "")
	for _, test := range []struct {
		name     string
		mcn      *mcfgv1.MachineConfigNode
		joined   bool
		updating bool
	}{
		{"no object", nil, false, false},
		{"no conditions", newMCN("b", func(m *mcfgv1.MachineConfigNode) { m.Status = mcfgv1.MachineConfigNodeStatus{} }), false, false},
		{"conditions, nothing reported", newMCN("b", joining), false, false},
		{"no config yet", newMCN("b", joining, noConfigs), false, false},
		{"conditions without Updated", newMCN("b", noUpdated), false, false},
		{"the daemon starts", newMCN("b", joining, phase(mcfgv1.MachineConfigNodeResumed, metav1.ConditionUnknown)), false, false},
		{"the daemon has started", newMCN("b", joining, phase(mcfgv1.MachineConfigNodeResumed, metav1.ConditionTrue),
			phase(mcfgv1.MachineConfigNodeUpdateUncordoned, metav1.ConditionTrue)), false, false},
		{"an update is prepared", newMCN("b", joining, phase(mcfgv1.MachineConfigNodeUpdatePrepared, metav1.ConditionUnknown)), true, true},
		{"a child runs", newMCN("b", joining, phase(mcfgv1.MachineConfigNodeUpdateFilesAndOS, metav1.ConditionUnknown)), true, true},
		{"a child of image mode has run", newMCN("b", noUpdated, phase(mcfgv1.MachineConfigNodeImagePulledFromRegistry, metav1.ConditionTrue)), true, true},
		{"an update has begun", newMCN("b", started, configs(newConfig, newConfig, oldConfig)), true, true},
		{"an update is under way", newMCN("b", updating), true, true},
		{"Updated is False alone", newMCN("b", started), true, false},
		{"conditions of an older daemon", newMCN("b", started, func(m *mcfgv1.MachineConfigNode) {
			for i := range m.Status.Conditions {
				m.Status.Conditions[i].Reason = "NotYetOccured"
			}
		}), false, false},
		{"Updated", newMCN("b"), true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			objects := mcns{newMCN("a")}
			if test.mcn != nil {
				objects = append(objects, test.mcn)
			}
			for _, machine := range []struct {
				node *corev1.Node
				down int32
			}{{newNode("b"), 0}, {newNode("b", notReady), 1}, {newNode("b", cordoned), 1}} {
				status := pool.Status(newPool("worker"), nodes{newNode("a"), machine.node}, objects, pool.Options{}, now)
				assert.Equal(t, test.updating, condition(t, status, mcfgv1.MachineConfigPoolUpdating).Status == corev1.ConditionTrue)
				assert.Equal(t, test.joined && !test.updating && machine.down == 0, condition(t, status, mcfgv1.MachineConfigPoolUpdated).Status == corev1.ConditionTrue)
				unavailable := machine.down
				if test.updating {
					unavailable = 1
				}
				assert.Equal(t, unavailable, status.UnavailableMachineCount)
				if !test.joined {
					assert.Contains(t, condition(t, status, mcfgv1.MachineConfigPoolUpdated).Message, "1 has not reported yet")
				}
			}
		})
	}
}
