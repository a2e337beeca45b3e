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
	annotations := map[string]string{"machineconfiguration.openshift.io/state": "Done"}
	for _, name := range []string{"currentConfig", "desiredConfig"} {
		annotations["machineconfiguration.openshift.io/"+name] = "config-1"
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", Annotations: annotations}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}
	mcn.Status.Conditions = []metav1.Condition{{Type: string(mcfgv1.MachineConfigNodeUpdated), Status: metav1.ConditionTrue}}
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	pool.Spec.Configuration.Name = "config-1"

	require.True(t, ctrl.syncStatusOnly(pool, cc, []*corev1.Node{node}, []*mcfgv1.MachineConfigNode{mcn}))
	assert.Equal(t, "rhel-10", pool.Status.OSImageStream.Name)
	assert.Equal(t, "CN=a", pool.Status.CertExpirys[0].Subject)
	assert.EqualValues(t, 1, pool.Status.UpdatedMachineCount)
	assert.Equal(t, "Normal Completed Pool worker has completed update to MachineConfig config-1", <-recorder.Events)
	assert.False(t, ctrl.syncStatusOnly(pool, cc, []*corev1.Node{node}, []*mcfgv1.MachineConfigNode{mcn}), "nothing changes")
	assert.Empty(t, recorder.Events)
}
