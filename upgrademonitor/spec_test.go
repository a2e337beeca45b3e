package upgrademonitor_test

import (
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// If the start of an update is written late, it does not overwrite a newer spec or owner, whether
// this process or an operator has written it.
func TestALateStart(t *testing.T) {
	for _, anOperatorWrites := range []bool{false, true} {
		inBubble(t, func(t *testing.T, f *fixture) {
			f.fails(errDown)
			f.annotate(oldConfig, newConfig)
			f.queues(t, phases.Updated, metav1.ConditionFalse)
			pass(time.Minute)
			f.becomes(func(n *corev1.Node) { n.UID = "registered again" })
			f.annotate(oldConfig, thirdConfig)
			if anOperatorWrites {
				f.write(t, "", func(mcn *mcfgv1.MachineConfigNode) { mcn.Spec.ConfigVersion.Desired = thirdConfig })
			}
			pass(11 * time.Second) // the Monitor looks at the Node
			f.fails(nil)
			pass(time.Minute)
			object := f.object()
			assert.Equal(t, thirdConfig, object.Spec.ConfigVersion.Desired)
			assert.Equal(t, types.UID("registered again"), object.OwnerReferences[0].UID)
			assert.Equal(t, metav1.ConditionFalse, f.status(phases.Updated))
			assert.Less(t, object.Status.ObservedGeneration, object.Generation, "the update to the third config has not started")

			f.report(t, phases.Updated, metav1.ConditionFalse)
			f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
			f.annotate(thirdConfig, thirdConfig)
			f.report(t, phases.Updated, metav1.ConditionTrue)
			object = f.object()
			assert.Equal(t, thirdConfig, object.Status.ConfigVersion.Desired)
			assert.Equal(t, object.Generation, object.Status.ObservedGeneration)
		})
	}
}

// The Node changes back while the spec for its last config is being written: another write follows.
func TestTheNodeChangesBackDuringASpecWrite(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(4 * time.Second)
		go func() { _ = f.tryReport(t, phases.NodeDegraded, metav1.ConditionTrue) }()
		synctest.Wait()
		go func() { _ = f.GenerateAndApplyMachineConfigNodeSpec(t.Context()) }()
		synctest.Wait()
		f.annotate(oldConfig, newConfig)
		go func() { _ = f.tryReport(t, phases.NodeDegraded, metav1.ConditionTrue) }()
		pass(5 * time.Second) // the spec with the new config is being written
		f.annotate(oldConfig, oldConfig)
		_ = f.GenerateAndApplyMachineConfigNodeSpec(t.Context())
		require.NoError(t, f.Flush(t.Context()))
		assert.Equal(t, oldConfig, f.desired())
	})
}
