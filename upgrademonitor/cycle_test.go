package upgrademonitor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const thirdConfig = "rendered-worker-ccc"

// An Updated that was never reported is no active update: the first Updated=False begins one,
// whatever the spec desires.
func TestFirstUpdateOfAnObject(t *testing.T) {
	f := newFixture(t)
	f.annotate(oldConfig, newConfig)
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.UpdatePrepared).Status)

	f.report(t, phases.Cordoned, metav1.ConditionTrue)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Cordoned).Status, "a repeat changes no status")
}

// UpdatePrepared reported for another target than that of the active update begins an update.
func TestUpdateThatNobodyAnnounced(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	f.report(t, phases.RebootedNode, metav1.ConditionUnknown)

	g := f.another(t) // after the reboot, the desired config is another one
	g.annotate(newConfig, thirdConfig)
	g.report(t, phases.UpdatePrepared, metav1.ConditionUnknown)
	rebooted := g.condition(t, phases.RebootedNode)
	assert.Equal(t, metav1.ConditionFalse, rebooted.Status)
	assert.Equal(t, "Action during update to "+newConfig+": about RebootedNode", rebooted.Message)
	assert.Equal(t, thirdConfig, g.object(t).Spec.ConfigVersion.Desired)
	g.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	assert.Equal(t, thirdConfig, g.object(t).Status.ConfigVersion.Desired)
	g.report(t, phases.Drained, metav1.ConditionTrue)
	g.annotate(thirdConfig, thirdConfig)
	g.report(t, phases.Updated, metav1.ConditionTrue)
	assert.Equal(t, "Action during update to "+thirdConfig+": about Drained", g.condition(t, phases.Drained).Message)
}

// A begin that needs no write is kept.
func TestBeginWithoutAWriteIsKept(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.annotate(oldConfig, thirdConfig) // the admin changed the pool while it was being prepared
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.Cordoned, metav1.ConditionTrue)
	f.report(t, phases.Updated, metav1.ConditionFalse) // the retry loop: same target
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Cordoned).Status, "a repeat for the same target changes no status")
}

// A begin writes the node's desired config to the spec first: a daemon that never makes the spec
// call has a correct DESIREDCONFIG.
func TestBeginUpdatesTheSpec(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Equal(t, []string{"patch", "patch/status"}, f.requests())
	object := f.object(t)
	assert.Equal(t, newConfig, object.Spec.ConfigVersion.Desired)
	assert.Equal(t, "worker", object.Spec.Pool.Name, "the pool is unchanged")
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.Empty(t, f.requests(), "the daemon's own spec call needs no request")
}

// A node that is wanted elsewhere when its update ends: nothing has validated the other config yet.
func TestEndWhileTheNodeIsWantedElsewhere(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.annotate(oldConfig, newConfig)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	f.annotate(newConfig, thirdConfig)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	assert.Equal(t, newConfig, f.object(t).Status.ConfigVersion.Desired)

	f.report(t, phases.Updated, metav1.ConditionFalse)
	assert.Equal(t, metav1.ConditionUnknown, f.condition(t, phases.UpdatePrepared).Status, "the next update has begun")
	assert.Equal(t, thirdConfig, f.object(t).Spec.ConfigVersion.Desired)
}

// A pending report of an update that ended meanwhile is no disruption, unless the update had
// ended before the report was made.
func TestReportThatWaitedWhileTheUpdateEnded(t *testing.T) {
	for name, tc := range map[string]struct {
		ended time.Duration // after the report
		want  metav1.ConditionStatus
	}{
		"the update ended before": {-time.Minute, metav1.ConditionFalse},
		"the update ended after":  {time.Minute, metav1.ConditionTrue},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				f := newFixture(t)
				f.reportUpdated(t)
				f.annotate(oldConfig, newConfig)
				f.report(t, phases.Updated, metav1.ConditionFalse)
				controller := f.another(t)
				controller.report(t, phases.Drained, metav1.ConditionUnknown)
				f.failing("patch", errDown)
				f.clock.SetTime(start.Add(time.Hour))
				require.NoError(t, controller.tryReport(t, phases.Drained, metav1.ConditionTrue))
				f.clock.SetTime(start.Add(time.Hour + tc.ended))
				f.report(t, phases.Updated, metav1.ConditionTrue)
				require.NoError(t, controller.Flush(t.Context()))
				assert.Equal(t, tc.want, f.condition(t, phases.Updated).Status)
			})
		})
	}
}

// No object for a Node that is Pending or Provisioning.
func TestNodeThatIsNotProvisioned(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		for _, phase := range []corev1.NodePhase{corev1.NodePending, "Provisioning"} {
			f := newFixture(t)
			f.node.Status.Phase = phase
			err := f.tryReport(t, phases.Resumed, metav1.ConditionTrue)
			require.NoError(t, err)
			assert.Equal(t, []string{"get"}, f.requests())
			f.becomes(func(n *corev1.Node) { n.Status.Phase = corev1.NodeRunning }, nil)
			require.NoError(t, f.Flush(t.Context()))
			assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Resumed).Status)
		}
	})
}

func TestFieldManagerThatTheServerRefuses(t *testing.T) {
	for _, manager := range []string{strings.Repeat("m", 129), "a\nb", "a\x00", "\u202e"} {
		f := newFixture(t)
		_, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{Client: f.clientset, NodeName: nodeName, FieldManager: manager,
			Node: func() (*corev1.Node, error) { return f.node, nil }})
		var invalid *field.Error
		require.ErrorAs(t, err, &invalid, "%q", manager)
		assert.Equal(t, "upgrademonitor.Config.FieldManager", invalid.Field)
	}
}

// A Lister that returns the object of another node is ignored.
func TestListerOfAnotherNode(t *testing.T) {
	indexer := cache.NewIndexer(func(any) (string, error) { return nodeName, nil }, cache.Indexers{})
	f := newFixture(t, withLister(indexer))
	f.reportUpdated(t)
	object := f.object(t).DeepCopy()
	object.Name, object.ResourceVersion = "worker-1", "99"
	object.Status.Conditions = nil
	log := &f.log
	report := func() {
		require.NoError(t, f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "about Updated", metav1.ConditionTrue))
	}
	for range 2 {
		require.NoError(t, indexer.Add(object))
		for range 2 {
			report()
		}
		assert.NotContains(t, f.requests(), "patch/status")
		lines := log.take()
		require.Len(t, lines, 1)
		assert.Contains(t, lines[0], "Ignoring the Lister")
		f.show(t, indexer, "100")
		report()
		require.Len(t, log.take(), 1, "over")
	}
}
