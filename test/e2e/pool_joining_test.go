package e2e

import (
	"fmt"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// TestPoolOfAJoiningNode: a node joins a pool of one, and has its first update. Until that begins,
// the pool is not Updating, and none of its nodes is unavailable.
func TestPoolOfAJoiningNode(t *testing.T) {
	w := newPoolFixture(t, "pool-of-a-joining-node", 1)
	_, stop := w.control()
	defer stop()
	w.waitForRow("old True False False 1 1 1 0")

	node := newTestNode(t, w.name+"-new")
	w.nodes = append(w.nodes, node)
	w.patchNode(1, fmt.Sprintf(`{"metadata":{"labels":{%q:""}}}`, w.label))
	w.patchNode(1, `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`, "status")
	node.annotate(oldConfig, oldConfig)
	m, _ := node.monitor(w.name)
	joining := func() {
		t.Helper()
		w.waitForRow("old False False False 2 1 1 0")
		assert.Zero(t, w.get().Status.UnavailableMachineCount)
	}
	joining() // no object
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	joining() // no conditions
	for _, c := range []call{{phases.Resumed, metav1.ConditionUnknown, nil}, {phases.Resumed, metav1.ConditionTrue, nil}} {
		c.make(t, m) // the daemon starts
		joining()
	}
	call{phases.Updated, metav1.ConditionTrue, nil}.make(t, m)
	w.waitForRow("old True False False 2 2 2 0")

	node.annotate(oldConfig, newConfig)
	call{phases.Updated, metav1.ConditionFalse, nil}.make(t, m)
	call{phases.Drained, metav1.ConditionUnknown, nil}.make(t, m)
	w.until(func(s mcfgv1.MachineConfigPoolStatus) bool {
		return hasTrueCondition(s, mcfgv1.MachineConfigPoolUpdating, node.name+" is draining since ") &&
			hasTrueCondition(s, mcfgv1.MachineConfigPoolUpdating, "; see oc describe machineconfignode/"+node.name)
	})
	m.ReportDegraded(t.Context(), assert.AnError)
	w.until(func(s mcfgv1.MachineConfigPoolStatus) bool {
		return hasTrueCondition(s, mcfgv1.MachineConfigPoolDegraded, assert.AnError.Error())
	})
	status := w.get().Status
	assert.Equal(t, int32(1), status.UnavailableMachineCount)
	for _, c := range status.Conditions {
		if c.Type == mcfgv1.MachineConfigPoolPinnedImageSetsDegraded {
			assert.Equal(t, corev1.ConditionFalse, c.Status)
		}
	}
}
