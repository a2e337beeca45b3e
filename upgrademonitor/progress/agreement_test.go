package progress_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// requireAgreement checks that package pool and this package say the same of the node of an object, in
// a pool with this target.
func requireAgreement(t testing.TB, mcn *mcfgv1.MachineConfigNode, config string) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	mcn = mcn.DeepCopy()
	mcn.Name, mcn.Spec.Pool.Name = node.Name, "worker"
	mcn.Spec.ConfigImage.DesiredImage, mcn.Status.ConfigImage.CurrentImage = "", "" // the image of a pool is an option of Status
	p := worker("")
	p.Spec.Configuration.Name = config
	status := pool.Status(p, []*corev1.Node{node}, []*mcfgv1.MachineConfigNode{mcn}, pool.Options{}, metav1.Now())
	isUpdating, doing := false, ""
	for _, c := range status.Conditions {
		if c.Type == mcfgv1.MachineConfigPoolUpdating {
			isUpdating, doing = c.Status == corev1.ConditionTrue, c.Message
		}
	}
	limits := progress.Limits{StuckAfter: 1 << 62} // so that only a degraded node is stuck
	n := progress.Pools([]*mcfgv1.MachineConfigPool{p}, []progress.Node{progress.FromMachineConfigNode(mcn)}, time.Time{}, limits)[0].Nodes[0]

	one := map[bool]int32{true: 1}
	require.Equal(t, one[n.State == progress.Done], status.UpdatedMachineCount, "updated")
	require.Equal(t, one[n.Degraded], status.DegradedMachineCount, "degraded")
	require.Equal(t, one[n.Degraded || n.InUpdate()], status.UnavailableMachineCount, "unavailable")
	require.Equal(t, n.InUpdate() || config != "" && n.Reported && n.State != progress.Done, isUpdating, "updating: %s", doing)
}
