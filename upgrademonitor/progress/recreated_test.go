package progress_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

func withUID(uid types.UID) func(*mcfgv1.MachineConfigNode) {
	return func(m *mcfgv1.MachineConfigNode) { m.UID = uid }
}

// TestObjectsThatAreCreatedAgain: another UID under the same name is another object.
func TestObjectsThatAreCreatedAgain(t *testing.T) {
	const failure = "error when evicting pods: violates the budget"
	degraded := func(uid types.UID, minute float64) *mcfgv1.MachineConfigNode {
		return mcn(withUID(uid), withDesired(configB), is(phases.Updated, no, 1), is(phases.UpdatePrepared, yes, 2),
			is(phases.Drained, running, minute, "draining"), is(phases.NodeDegraded, yes, minute, "disk full"))
	}
	inPool := func(h *progress.History, m *mcfgv1.MachineConfigNode) progress.Node {
		return progress.Pools([]*mcfgv1.MachineConfigPool{worker("")}, []progress.Node{progress.FromMachineConfigNode(m)}, h, at(60), progress.Limits{})[0].Nodes[0]
	}
	var h progress.History
	h.Observe(degraded("a", 3))
	h.Observe(degraded("a", 9))
	assert.Equal(t, at(3), inPool(&h, degraded("a", 9)).Degraded)
	assert.Equal(t, at(9), inPool(&h, degraded("b", 9)).Degraded, "it was not observed")

	h.Observe(degraded("b", 9))
	assert.Equal(t, at(9), inPool(&h, degraded("b", 9)).Degraded)
	assert.Equal(t, types.UID("b"), inPool(&h, degraded("b", 9)).UID)

	retried := func(uid types.UID, message string) *mcfgv1.MachineConfigNode {
		return mcn(withUID(uid), withDesired(configB), is(phases.Updated, no, 1), is(phases.Drained, running, 2, message))
	}
	h.Observe(retried("c", "draining"))
	h.Observe(retried("c", failure))
	h.Observe(retried("c", "draining"))
	assert.Equal(t, failure, inPool(&h, retried("c", "draining")).Message)
	assert.Equal(t, "draining", inPool(&h, retried("d", "draining")).Message)

	h.Observe(mcn(withUID("d"), withDesired(configB), is(phases.Updated, no, 30)))
	assert.Equal(t, []progress.Span{{Node: "worker-0", Target: target(configB), Phase: phases.UpdatePrepared, From: at(30)}}, h.Spans())
	h.Observe(mcn(withUID("e")))
	assert.Empty(t, h.Spans())
}
