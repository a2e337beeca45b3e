package status

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
)

// newNode returns a Node that has its desired config, and is Ready, and its MachineConfigNode.
func newNode(name string) (*corev1.Node, *mcfgv1.MachineConfigNode) {
	annotations := map[string]string{"machineconfiguration.openshift.io/state": "Done"}
	for _, key := range []string{"currentConfig", "desiredConfig"} {
		annotations["machineconfiguration.openshift.io/"+key] = "config-1"
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: name}}
	mcn.Status.Conditions = []metav1.Condition{{Type: string(mcfgv1.MachineConfigNodeUpdated), Status: metav1.ConditionTrue}}
	return node, mcn
}

func newPool() *mcfgv1.MachineConfigPool {
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	pool.Spec.Configuration.Name = "config-1"
	return pool
}

// TestReadersOfUpdating: while an administrator has cordoned a node, the two readers of Updating that the page names
// find neither Updating nor Updated, but the message of Updated, and nodes that are updated.
func TestReadersOfUpdating(t *testing.T) {
	node, mcn := newNode("worker-0")
	other, mcnOfOther := newNode("worker-1")
	node.Spec.Unschedulable = true
	status := (&Controller{}).calculateStatus([]*mcfgv1.MachineConfigNode{mcn, mcnOfOther}, nil, newPool(), []*corev1.Node{node, other}, nil, nil)
	assert.False(t, apihelpers.IsMachineConfigPoolConditionTrue(status.Conditions, mcfgv1.MachineConfigPoolUpdating))
	assert.False(t, apihelpers.IsMachineConfigPoolConditionTrue(status.Conditions, mcfgv1.MachineConfigPoolUpdated))
	assert.EqualValues(t, 2, status.UpdatedMachineCount)
	for _, c := range status.Conditions {
		if c.Type == mcfgv1.MachineConfigPoolUpdated {
			assert.Equal(t, "2 of 2 nodes have MachineConfig config-1. worker-0 is cordoned", c.Message)
		}
	}
}

func TestSyncStatusOnly(t *testing.T) {
	recorder := record.NewFakeRecorder(10)
	ctrl := &Controller{osStreamsFgEnabled: true, eventRecorder: recorder}
	ctrl.getOSImageStream = func(_ *mcfgv1.MachineConfigPool, status *mcfgv1.MachineConfigPoolStatus, isUpdated, isDegraded bool) mcfgv1.OSImageStreamReference {
		assert.True(t, isUpdated)
		assert.False(t, isDegraded)
		return mcfgv1.OSImageStreamReference{Name: "rhel-10"}
	}
	cc := &mcfgv1.ControllerConfig{}
	cc.Status.ControllerCertificates = []mcfgv1.ControllerCertificate{{Subject: "CN=a", BundleFile: "b"}}
	node, mcn := newNode("worker-0")
	pool := newPool()

	require.True(t, ctrl.syncStatusOnly(pool, cc, []*corev1.Node{node}, []*mcfgv1.MachineConfigNode{mcn}))
	assert.Equal(t, "rhel-10", pool.Status.OSImageStream.Name)
	assert.Equal(t, "CN=a", pool.Status.CertExpirys[0].Subject)
	assert.EqualValues(t, 1, pool.Status.UpdatedMachineCount)
	assert.Equal(t, "Normal Completed Pool worker has completed update to MachineConfig config-1", <-recorder.Events)
	assert.False(t, ctrl.syncStatusOnly(pool, cc, []*corev1.Node{node}, []*mcfgv1.MachineConfigNode{mcn}), "nothing changes")
	assert.Empty(t, recorder.Events)
}
