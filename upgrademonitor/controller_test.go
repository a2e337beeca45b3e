package upgrademonitor_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// controlled is a daemon, and the Monitor of a controller for its node.
type controlled struct {
	daemon     *fixture
	controller *fixture
	looks      atomic.Int32 // calls of the controller's Node function
}

// newControlled returns a daemon without an object, and a controller that shares its server.
func newControlled(t *testing.T, change ...func(*upgrademonitor.Config)) *controlled {
	t.Helper()
	c := &controlled{daemon: newFixture(t)}
	c.controller = &fixture{server: c.daemon.server, node: c.daemon.node}
	config := upgrademonitor.Config{Client: clientsetOn(t, c.daemon.server)}
	for _, set := range change {
		set(&config)
	}
	monitors, err := upgrademonitor.NewMonitors(c.controller.log.context(t.Context()), config, func(string) (*corev1.Node, error) {
		c.looks.Add(1)
		return c.controller.view()
	})
	require.NoError(t, err)
	c.controller.Monitor = monitors.For(nodeName)
	return c
}

func (c *controlled) annotate(current, desired string) {
	c.daemon.annotate(current, desired)
	c.controller.annotate(current, desired)
}

// A controller writes conditions only. It does not create the object, and does not write the spec, the
// owner, or the configs in the status, also if its informer shows an earlier Node.
func TestAControllerWritesOnlyConditions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		c.daemon.report(t, phases.Updated, metav1.ConditionFalse)
		c.controller.becomes(func(n *corev1.Node) { n.UID = "of an earlier Node" })
		c.controller.annotate("rendered-worker-old", oldConfig)
		before := c.daemon.object()
		c.controller.report(t, phases.Cordoned, metav1.ConditionUnknown)
		c.controller.report(t, phases.Cordoned, metav1.ConditionTrue)
		after := c.daemon.object()
		assert.Equal(t, metav1.ConditionTrue, c.daemon.status(phases.Cordoned))
		assert.Equal(t, before.OwnerReferences, after.OwnerReferences)
		assert.Equal(t, before.Spec, after.Spec)
		assert.Equal(t, types.UID("1a01a163"), after.OwnerReferences[0].UID)
		before.Status.Conditions, after.Status.Conditions = nil, nil
		assert.Equal(t, before.Status, after.Status)

		var forbidden *field.Error
		require.ErrorAs(t, c.controller.syncSpec(t), &forbidden)
		assert.Equal(t, field.ErrorTypeForbidden, forbidden.Type)
		c.controller.requests()
		c.controller.ReportPinnedImageSets(t.Context(), nil, nil)
		looks := c.looks.Load()
		c.controller.annotate(newConfig, newConfig)
		pass(time.Hour)
		assert.Equal(t, looks, c.looks.Load(), "a controller does not look between calls")
		require.NoError(t, c.controller.Flush(t.Context()))
		assert.Empty(t, c.controller.requests())
	})
}

// A controller's report for an object that does not exist is queued, and written once the daemon has
// created the object.
func TestAControllerBeforeTheObjectExists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.controller.queues(t, phases.NodeDegraded, metav1.ConditionTrue)
		pass(10 * time.Minute)
		assert.Nil(t, c.daemon.object())
		assert.NotContains(t, c.daemon.requests(), "create")
		c.daemon.report(t, phases.NodeDegraded, metav1.ConditionFalse)
		pass(30 * time.Second)
		assert.Equal(t, metav1.ConditionTrue, c.daemon.status(phases.NodeDegraded))
		assertLines(t, []string{"has not created the MachineConfigNode", "works again"}, c.controller.log.take())
	})
}

// A controller never starts an update. While none is under way, its steps are rejected after one read, with
// ErrNoUpdate, and nothing is queued.
func TestAControllerStartsNoUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		assertRejected := func() {
			t.Helper()
			for _, p := range []phases.Phase{phases.Cordoned, phases.Drained, phases.UpdatePrepared} {
				for _, status := range []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue} {
					c.daemon.requests()
					err := c.controller.tryReport(t, p, status)
					require.ErrorIs(t, err, upgrademonitor.ErrNoUpdate)
					require.ErrorAs(t, err, new(*upgrademonitor.ReportError))
					assert.Equal(t, []string{"get"}, c.daemon.requests())
				}
			}
			assert.Zero(t, c.controller.pending())
		}
		assertRejected() // there is no object
		c.daemon.report(t, phases.NodeDegraded, metav1.ConditionFalse)
		assertRejected() // Updated was never reported
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		before := c.daemon.object()
		assertRejected()
		require.ErrorIs(t, c.controller.tryReport(t, phases.Updated, metav1.ConditionFalse), upgrademonitor.ErrNoUpdate)
		c.annotate(oldConfig, newConfig)
		assertRejected()
		assert.Equal(t, before, c.daemon.object())
		c.controller.report(t, phases.Uncordoned, metav1.ConditionTrue)
		assert.Equal(t, metav1.ConditionTrue, c.daemon.status(phases.Updated), "after a restart of the controller")
	})
}

// While an update is under way, a controller's report belongs to it, whatever the controller's view of the
// Node is. So its Updated=False is a repeat, and its UpdatePrepared starts no other update.
func TestAControllerInAnUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		c.annotate(oldConfig, newConfig)
		c.daemon.report(t, phases.Updated, metav1.ConditionFalse)
		c.daemon.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
		c.controller.annotate(oldConfig, thirdConfig)
		c.controller.report(t, phases.Drained, metav1.ConditionUnknown)
		c.controller.report(t, phases.Updated, metav1.ConditionFalse)
		c.controller.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
		assert.Equal(t, metav1.ConditionTrue, c.daemon.status(phases.UpdatePrepared))
		assert.Equal(t, metav1.ConditionUnknown, c.daemon.status(phases.Drained))
	})
}

// Report logs ErrNoUpdate once, until a report of the node is accepted.
func TestReportLogsErrNoUpdateOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		ctx := c.controller.log.context(t.Context())
		repeat := func() []string {
			for range 3 {
				c.controller.Report(ctx, phases.Drained, "Draining", metav1.ConditionUnknown)
			}
			return c.controller.log.take()
		}
		assertLines(t, []string{"no update of the node is under way"}, repeat())
		assert.Empty(t, repeat())
		c.controller.report(t, phases.NodeDegraded, metav1.ConditionTrue)
		assertLines(t, []string{"no update of the node is under way"}, repeat())
		c.daemon.report(t, phases.Updated, metav1.ConditionFalse)
		assert.Empty(t, repeat())
		assert.Equal(t, metav1.ConditionUnknown, c.daemon.status(phases.Drained))
	})
}
