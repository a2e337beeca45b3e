package writers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

const desiredConfig = "machineconfiguration.openshift.io/desiredConfig"

// TestWritersOfTheSpec: beside rollout, a daemon whose Config.Pool is nil, and that does not call
// GenerateAndApplyMachineConfigNodeSpec, writes the spec only if an update starts before rollout has written it.
func TestWritersOfTheSpec(t *testing.T) {
	for name, test := range map[string]struct {
		isFirst bool // the daemon sees the Node before rollout runs
		writes  int
	}{
		"rollout is first":    {false, 0},
		"the daemon is first": {true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				worker := map[string]string{"node-role.kubernetes.io/worker": ""}
				node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Labels: worker}}
				node.Annotations = map[string]string{"machineconfiguration.openshift.io/currentConfig": "config-1", desiredConfig: "config-1"}
				kube, mcfg := kubefake.NewClientset(node), upgrademonitortest.NewClientset(t, &mcfgv1.MachineConfigPool{
					ObjectMeta: metav1.ObjectMeta{Name: "worker"},
					Spec:       mcfgv1.MachineConfigPoolSpec{NodeSelector: &metav1.LabelSelector{MatchLabels: worker}},
				})
				kubeFactory := informers.NewSharedInformerFactory(kube, 0)
				mcfgFactory := mcfginformers.NewSharedInformerFactory(mcfg, 0)
				objects := mcfgFactory.Machineconfiguration().V1()
				controller, err := rollout.New(rollout.Config{
					Client: mcfg, KubeClient: kube,
					Nodes: kubeFactory.Core().V1().Nodes(), Pools: objects.MachineConfigPools(), MachineConfigNodes: objects.MachineConfigNodes(),
				})
				require.NoError(t, err)
				monitor, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{
					Client: mcfg, NodeName: node.Name, Lister: objects.MachineConfigNodes().Lister(),
					Node: func() (*corev1.Node, error) { return kubeFactory.Core().V1().Nodes().Lister().Get(node.Name) },
				})
				require.NoError(t, err)
				kubeFactory.StartWithContext(t.Context())
				mcfgFactory.StartWithContext(t.Context())
				ctx, stop := context.WithCancel(t.Context())
				start := func() { go func() { assert.NoError(t, controller.Run(ctx, 1)) }(); <-time.After(time.Minute) }
				desire := func(config string) {
					node.Annotations[desiredConfig] = config
					_, err := kube.CoreV1().Nodes().Update(t.Context(), node.DeepCopy(), metav1.UpdateOptions{})
					require.NoError(t, err)
					<-time.After(time.Minute) // time is fake
				}

				start()
				monitor.Report(t.Context(), phases.Updated, "Node is updated", metav1.ConditionTrue)
				if test.isFirst {
					stop() // this rollout is no longer the leader, and the next one is not yet
					synctest.Wait()
				}
				mcfg.ClearActions()
				desire("config-2")
				for _, report := range []struct {
					phase  phases.Phase
					status metav1.ConditionStatus
				}{
					{phases.Updated, metav1.ConditionFalse}, {phases.UpdatePrepared, metav1.ConditionTrue},
					{phases.RebootedNode, metav1.ConditionTrue}, {phases.Resumed, metav1.ConditionTrue},
				} {
					monitor.Report(t.Context(), report.phase, "about it", report.status)
				}
				node.Annotations["machineconfiguration.openshift.io/currentConfig"] = "config-2"
				desire("config-2")
				monitor.Report(t.Context(), phases.Updated, "Node is updated", metav1.ConditionTrue)
				<-time.After(time.Minute)
				stop()

				writes := 0
				for _, action := range mcfg.Actions() {
					patch, isPatch := action.(clienttesting.PatchActionImpl)
					if isPatch && patch.GetSubresource() == "" && patch.PatchOptions.FieldManager == "machine-config-operator" {
						writes++
					}
				}
				assert.Equal(t, test.writes, writes)
				mcn, err := mcfg.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), node.Name, metav1.GetOptions{})
				require.NoError(t, err)
				assert.Equal(t, "config-2", mcn.Spec.ConfigVersion.Desired)
				assert.Equal(t, "worker", mcn.Spec.Pool.Name, "the daemon keeps it")
			})
		})
	}
}
