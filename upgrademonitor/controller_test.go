package upgrademonitor_test

import (
	"fmt"
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

// controlled has the Monitor of a daemon, and the Monitor of a controller for the same node.
type controlled struct {
	daemon     *fixture
	controller *fixture
	looks      atomic.Int32 // counts the calls of the controller's Node function
}

// newControlled returns a daemon and a controller on the same server, without an object.
func newControlled(t *testing.T) *controlled {
	t.Helper()
	c := &controlled{daemon: newFixture(t)}
	c.controller = &fixture{server: c.daemon.server, node: c.daemon.node}
	config := upgrademonitor.Config{Client: clientsetOn(t, c.daemon.server)}
	monitors, err := upgrademonitor.NewMonitors(c.controller.log.context(t.Context()), config, func(string) (*corev1.Node, error) {
		c.looks.Add(1)
		return c.controller.view()
	})
	require.NoError(t, err)
	c.controller.Monitor = monitors.For(nodeName)
	return c
}

// A controller writes neither owners nor configs, even if its informer shows an earlier Node with another UID.
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

func TestAControllersReportWaitsUntilTheDaemonHasCreatedTheObject(t *testing.T) {
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

// While no update is under way, the step is rejected after one read, and nothing is queued. The scripts of package planner
// say which reports are steps.
func TestAControllersStepWithoutAnUpdateIsRejectedWithErrNoUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		c.daemon.requests()
		err := c.controller.tryReport(t, phases.Drained, metav1.ConditionUnknown)
		require.ErrorIs(t, err, upgrademonitor.ErrNoUpdate)
		require.ErrorAs(t, err, new(*upgrademonitor.ReportError))
		assert.Equal(t, []string{"get"}, c.daemon.requests())
		assert.Zero(t, c.controller.pending())
	})
}

func TestReportLogsErrNoUpdateOnceUntilAReportIsAccepted(t *testing.T) {
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
		c.daemon.fails(errDown)
		c.controller.queues(t, phases.NodeDegraded, metav1.ConditionFalse)
		c.daemon.fails(nil)
		pass(time.Minute)
		c.controller.log.take()
		assertLines(t, []string{"no update of the node is under way"}, repeat()) // the report in the outage was accepted
		c.daemon.report(t, phases.Updated, metav1.ConditionFalse)
		assert.Empty(t, repeat())
		assert.Equal(t, metav1.ConditionUnknown, c.daemon.status(phases.Drained))
	})
}

// The object is deleted during an update. The daemon's next step starts the update again on the new object.
func TestAControllersReportsGoOnAfterTheObjectWasDeletedDuringAnUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		c.daemon.starts(t, newConfig)
		c.daemon.Remove(nodeName)
		require.ErrorIs(t, c.controller.tryReport(t, phases.Cordoned, metav1.ConditionTrue), upgrademonitor.ErrNoUpdate)
		c.daemon.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
		assert.NotContains(t, c.daemon.condition(phases.Updated).Message, "disruption")
		c.controller.report(t, phases.Cordoned, metav1.ConditionTrue)
		c.daemon.report(t, phases.Updated, metav1.ConditionFalse)
		assert.Equal(t, metav1.ConditionTrue, c.daemon.status(phases.Cordoned), "a repeat of the start resets no step")
		assert.Equal(t, newConfig, c.daemon.object().Status.ConfigVersion.Desired)
	})
}

// A controller that starts in an outage does not know whether an update is under way.
func TestAControllersRepeatsInAnOutageFillNoQueueAndAreDroppedWithOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		c.daemon.fails(errDown)
		for i := range 300 {
			c.controller.Report(t.Context(), phases.Cordoned, "Cordoned", metav1.ConditionTrue)
			c.controller.Report(t.Context(), phases.Drained, fmt.Sprint("attempt ", i), metav1.ConditionUnknown)
		}
		c.controller.queues(t, phases.Drained, metav1.ConditionTrue)
		assert.Less(t, c.controller.pending(), 6)
		c.controller.log.take()
		c.daemon.fails(nil)
		pass(time.Minute)
		assertLines(t, []string{"no update of the node is under way", "works again"}, c.controller.log.take())
	})
}
