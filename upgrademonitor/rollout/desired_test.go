package rollout_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// TestDesiredIsACopy: an object in a cache must not change with it.
func TestDesiredIsACopy(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node", UID: "uid"}}
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "node", OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Node", Name: "node", UID: "uid"},
	}}}
	before := mcn.DeepCopy()
	desired := rollout.DesiredMachineConfigNode(t.Context(), mcn, node, "worker", false)
	require.Len(t, desired.OwnerReferences, 1)
	desired.OwnerReferences[0].Name = "changed"
	assert.Equal(t, before, mcn)
}
