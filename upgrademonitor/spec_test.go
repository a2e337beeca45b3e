package upgrademonitor_test

import (
	"fmt"
	"sync"
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

// The spec call brings the spec and the owner in sync with the Node. A spec that is in sync needs
// no request, and an annotation that is missing changes nothing.
func TestSpecFollowsTheNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		for _, step := range []struct {
			change   func(*corev1.Node)
			desired  string
			uid      types.UID
			requests []string
		}{
			{func(*corev1.Node) {}, oldConfig, "1a01a163", []string{"get", "create", "patch/status"}},
			{func(*corev1.Node) {}, oldConfig, "1a01a163", nil},
			{func(n *corev1.Node) { n.Annotations = annotated(oldConfig, newConfig).Annotations }, newConfig, "1a01a163", []string{"patch", "patch/status"}},
			{func(n *corev1.Node) { n.Annotations = nil }, newConfig, "1a01a163", []string{"get"}},
			{func(n *corev1.Node) { n.UID = "another" }, newConfig, "another", []string{"patch"}},
		} {
			f.becomes(step.change)
			require.NoError(t, f.syncSpec(t))
			assert.Equal(t, step.requests, f.requests())
			assert.Equal(t, step.desired, f.desired())
			assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: nodeName, UID: step.uid}}, f.object().OwnerReferences)
		}
	})
}

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

// If the Node changes back while a write of the spec is in flight, the spec is written back, and
// both calls wait for that.
func TestASpecThatIsTakenBackInFlight(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.takes(time.Second)
		f.annotate(oldConfig, newConfig)
		go func() { assert.NoError(t, f.syncSpec(t)) }()
		synctest.Wait()
		f.annotate(oldConfig, oldConfig)
		assert.NoError(t, f.syncSpec(t))
		assert.Equal(t, oldConfig, f.desired())
	})
}

// A report cancels a retry of the spec, but not the write of a status that follows the retry.
func TestAReportCancelsNoStatus(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errRBAC, "patch")
		f.annotate(oldConfig, newConfig)
		require.Error(t, f.syncSpec(t))
		f.takes(500*time.Millisecond, "patch/status")
		var callers sync.WaitGroup
		for i := range 100 {
			callers.Go(func() { f.ReportDegraded(t.Context(), fmt.Errorf("cause %d", i)) })
			pass(333 * time.Millisecond)
		}
		callers.Wait()
		assertLines(t, []string{"RBAC"}, f.log.take())
	})
}
