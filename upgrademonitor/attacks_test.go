package upgrademonitor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// An update is withdrawn in favor of another one: the reports of a controller that waits for its start are
// dropped, and not written into the other update hours later.
func TestAControllerWhoseUpdateIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		c.annotate(oldConfig, newConfig)
		c.controller.queues(t, phases.Cordoned, metav1.ConditionTrue)
		c.controller.queues(t, phases.Drained, metav1.ConditionUnknown)
		c.controller.log.take()
		c.annotate(oldConfig, thirdConfig)
		pass(5 * time.Hour)
		assert.Zero(t, c.controller.pending())
		assertLines(t, []string{"no longer desires", "no longer desires", "works again"}, c.controller.log.take())
		c.controller.queues(t, phases.Drained, metav1.ConditionUnknown)
		c.daemon.report(t, phases.Updated, metav1.ConditionFalse)
		pass(time.Minute)
		assert.Equal(t, metav1.ConditionFalse, c.daemon.status(phases.Cordoned))
		assert.Equal(t, metav1.ConditionUnknown, c.daemon.status(phases.Drained))
	})
}

// The node may run the new config before the controller's retry. Its report is still about this update.
func TestAControllerWhoseUpdateEndsBeforeItsRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		c.annotate(oldConfig, newConfig)
		c.controller.queues(t, phases.Drained, metav1.ConditionTrue)
		pass(time.Minute)
		c.daemon.report(t, phases.Updated, metav1.ConditionFalse)
		c.daemon.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
		c.annotate(newConfig, newConfig)
		pass(time.Minute)
		assert.Zero(t, c.controller.pending())
		assert.Equal(t, metav1.ConditionTrue, c.daemon.status(phases.Drained))
	})
}

// NodeDegraded does not wait for the start of an update, so it is not dropped with the reports that wait.
func TestAControllersFailureBehindAReportThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newControlled(t)
		c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
		c.annotate(oldConfig, newConfig)
		c.controller.queues(t, phases.Drained, metav1.ConditionUnknown)
		c.controller.queues(t, phases.NodeDegraded, metav1.ConditionTrue)
		pass(time.Minute)
		c.annotate(oldConfig, oldConfig)
		pass(time.Minute)
		assert.Zero(t, c.controller.pending())
		assert.Equal(t, metav1.ConditionFalse, c.daemon.status(phases.Drained))
		assert.Equal(t, metav1.ConditionTrue, c.daemon.status(phases.NodeDegraded))
	})
}

// The daemon starts the other update before the controller's next retry: the reports about the withdrawn
// one are not written into it.
func TestAControllerWhoseUpdateIsReplacedBeforeItsRetry(t *testing.T) {
	for name, setUp := range map[string]func(*testing.T, *controlled){
		"it has waited": func(t *testing.T, c *controlled) {
			c.controller.queues(t, phases.Cordoned, metav1.ConditionTrue)
			c.controller.queues(t, phases.Drained, metav1.ConditionUnknown)
		},
		"in an outage": func(t *testing.T, c *controlled) {
			c.controller.report(t, phases.NodeDegraded, metav1.ConditionFalse)
			c.controller.fails(errDown)
			c.controller.queues(t, phases.Cordoned, metav1.ConditionTrue)
			c.controller.queues(t, phases.Drained, metav1.ConditionUnknown)
			c.controller.fails(nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newControlled(t)
				c.daemon.report(t, phases.Updated, metav1.ConditionTrue)
				c.annotate(oldConfig, newConfig)
				setUp(t, c)
				synctest.Wait() // the attempts have failed
				c.annotate(oldConfig, thirdConfig)
				c.daemon.report(t, phases.Updated, metav1.ConditionFalse)
				pass(time.Minute)
				assert.Zero(t, c.controller.pending())
				assert.Equal(t, metav1.ConditionFalse, c.daemon.status(phases.Cordoned))
				assert.Equal(t, metav1.ConditionFalse, c.daemon.status(phases.Drained))
				c.controller.report(t, phases.Drained, metav1.ConditionUnknown)
				assert.Equal(t, metav1.ConditionUnknown, c.daemon.status(phases.Drained))
			})
		})
	}
}
