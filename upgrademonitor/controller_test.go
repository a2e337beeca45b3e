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
		c.controller.becomes(func(n *corev1.Node) { n.UID = "of an earlier Node" })
		c.controller.annotate("rendered-worker-old", oldConfig)
		before := c.daemon.object()
		c.controller.report(t, phases.Cordoned, metav1.ConditionUnknown)
		c.controller.report(t, phases.Cordoned, metav1.ConditionTrue)
		after := c.daemon.object()
		assert.Equal(t, metav1.ConditionTrue, c.daemon.status(phases.Cordoned))
		assert.Equal(t, metav1.ConditionFalse, c.daemon.status(phases.Updated), "a disruption")
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
		c.controller.queues(t, phases.Cordoned, metav1.ConditionTrue)
		pass(10 * time.Minute)
		assert.Nil(t, c.daemon.object())
		assert.NotContains(t, c.daemon.requests(), "create")
		c.daemon.report(t, phases.NodeDegraded, metav1.ConditionFalse)
		pass(30 * time.Second)
		assert.Equal(t, metav1.ConditionTrue, c.daemon.status(phases.Cordoned))
		assertLines(t, []string{"has not created the MachineConfigNode", "works again"}, c.controller.log.take())
	})
}

// A controller that is faster than the daemon waits until the object shows the start of the update. So
// its report starts no update, and the daemon's Updated=False does not reset it.
func TestAControllerThatIsFasterThanTheDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		c.controller.report(t, phases.NodeDegraded, metav1.ConditionFalse)
		c.annotate(oldConfig, newConfig)
		c.controller.queues(t, phases.Cordoned, metav1.ConditionUnknown)
		c.controller.queues(t, phases.Cordoned, metav1.ConditionTrue)
		c.controller.queues(t, phases.Drained, metav1.ConditionUnknown)
		pass(time.Minute)
		assert.Equal(t, metav1.ConditionTrue, c.daemon.status(phases.Updated))
		assertLines(t, []string{"the daemon has not reported the start"}, c.controller.log.take())
		c.daemon.report(t, phases.Updated, metav1.ConditionFalse)
		c.daemon.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
		pass(30 * time.Second)
		assert.Equal(t, metav1.ConditionTrue, c.daemon.status(phases.Cordoned))
		assert.Equal(t, metav1.ConditionUnknown, c.daemon.status(phases.Drained))
		c.daemon.report(t, phases.Updated, metav1.ConditionFalse)
		assert.Equal(t, metav1.ConditionUnknown, c.daemon.status(phases.Drained), "a repeat resets nothing")
		assert.NotContains(t, c.daemon.condition(phases.Updated).Message, "disruption")
	})
}

// If the update that a controller waits for is withdrawn, its reports are dropped with a log line: they are
// about no other update.
func TestAControllerWhoseUpdateIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		c.annotate(oldConfig, newConfig)
		c.controller.queues(t, phases.Cordoned, metav1.ConditionTrue)
		c.controller.queues(t, phases.Drained, metav1.ConditionUnknown)
		c.controller.log.take()
		c.annotate(oldConfig, oldConfig)
		pass(time.Minute)
		n, _ := c.controller.Pending()
		assert.Zero(t, n)
		assertLines(t, []string{"no longer desires", "no longer desires", "works again"}, c.controller.log.take())
		c.annotate(oldConfig, thirdConfig)
		c.daemon.report(t, phases.Updated, metav1.ConditionFalse)
		pass(time.Minute)
		assert.Equal(t, metav1.ConditionFalse, c.daemon.status(phases.Cordoned))
		c.controller.report(t, phases.Drained, metav1.ConditionUnknown)
	})
}
