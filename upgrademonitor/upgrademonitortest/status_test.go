package upgrademonitortest_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// Another part of the daemon that updates the status after Updated=True has to retry a conflict: once, between its read and
// its write, the Monitor copies the new annotation currentConfig to the status. One retry is enough.
func TestAnotherWriterOfTheStatusNeedsOneRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		newNode := func(current string) *corev1.Node {
			const prefix = "machineconfiguration.openshift.io/"
			annotations := map[string]string{prefix + "currentConfig": current, prefix + "desiredConfig": "config-2"}
			return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Annotations: annotations}}
		}
		client := upgrademonitortest.NewClientset(t)
		var node atomic.Pointer[corev1.Node]
		node.Store(newNode("config-1"))
		monitor, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{
			Client: client, NodeName: "worker-0", Node: func() (*corev1.Node, error) { return node.Load(), nil },
		})
		require.NoError(t, err)
		monitor.Report(t.Context(), phases.Updated, "Node needs an update", metav1.ConditionFalse)
		monitor.Report(t.Context(), phases.UpdatePrepared, "Update is compatible", metav1.ConditionTrue)
		monitor.Report(t.Context(), phases.Updated, "Node is updated", metav1.ConditionTrue)
		reported := len(client.Actions())

		objects := client.MachineconfigurationV1().MachineConfigNodes()
		attempts := 0
		update := func() error {
			attempts++
			mcn, err := objects.Get(t.Context(), "worker-0", metav1.GetOptions{})
			require.NoError(t, err)
			node.Store(newNode("config-2"))
			<-time.After(time.Minute) // time is fake
			mcn.Status.IrreconcilableChanges = []mcfgv1.IrreconcilableChangeDiff{{FieldPath: "spec.config", Diff: "x"}}
			_, err = objects.UpdateStatus(t.Context(), mcn, metav1.UpdateOptions{})
			return err
		}
		require.True(t, apierrors.IsConflict(update()))
		writes := 0
		for _, action := range client.Actions()[reported:] {
			if action.GetVerb() == "patch" {
				writes++
			}
		}
		assert.Equal(t, 1, writes, "the Monitor writes the new config once")

		require.NoError(t, retry.RetryOnConflict(retry.DefaultRetry, update))
		assert.Equal(t, 2, attempts, "the retry has no conflict")
		mcn, err := objects.Get(t.Context(), "worker-0", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, "config-2", mcn.Status.ConfigVersion.Current)
		assert.NotEmpty(t, mcn.Status.IrreconcilableChanges)
	})
}
