package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// Four goroutines of the daemon and another process report at once.
func TestConcurrentReportsLoseNoUpdate(t *testing.T) {
	const each = 200
	w := newTestNode(t, "concurrent")
	w.reportUpdated()
	h := watchFrom(t, w)
	w.annotate(oldConfig, newConfig)
	daemon, daemonRequests := w.monitor("master")
	controller, controllerRequests := w.monitor("master")
	require.NoError(t, daemon.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "begins", metav1.ConditionFalse))

	reporters := map[phases.Phase]*upgrademonitor.Monitor{
		phases.AppliedFilesAndOS: daemon,
		phases.RebootedNode:      daemon,
		phases.Resumed:           daemon,
		phases.NodeDegraded:      daemon,
		phases.Drained:           controller,
	}
	var running sync.WaitGroup
	for p, m := range reporters {
		running.Go(func() {
			for i := range each {
				status := []metav1.ConditionStatus{metav1.ConditionUnknown, metav1.ConditionTrue}[i%2]
				err := m.GenerateAndApplyMachineConfigNode(t.Context(), p, "Working", fmt.Sprint(i), status)
				assert.NoError(t, err, "%s %d", p, i)
			}
		})
	}
	running.Wait()
	h.catchUp()
	h.check()

	reverted, invisible := 0, 0
	for p := range reporters {
		next := 0
		for _, event := range h.events {
			c, _ := statusOf(event.Status.Conditions, string(p))
			var i int
			if _, err := fmt.Sscan(c.Message, &i); err != nil || c.Reason != "Working" {
				continue
			}
			switch {
			case i < next-1:
				reverted++
			case i > next:
				invisible += i - next
				next = i + 1
			default:
				next = max(next, i+1)
			}
		}
		invisible += each - next
	}
	conflicts := func(r *transport) int { return r.answered(http.StatusConflict) }
	written := func(r *transport) int { return r.answered(http.StatusOK) - r.of("read") }
	t.Logf("%d reports: %d reverted, %d never visible; daemon: %v, %d conflicts; controller: %v, %d conflicts",
		each*len(reporters), reverted, invisible, daemonRequests, conflicts(daemonRequests), controllerRequests, conflicts(controllerRequests))
	assert.Zero(t, reverted)
	assert.Zero(t, invisible)
	assert.LessOrEqual(t, conflicts(daemonRequests), written(controllerRequests))
	assert.LessOrEqual(t, conflicts(controllerRequests), written(daemonRequests))
}

// The informers of the daemon and of the drain controller keep up with each other's writes.
func TestAnUpdateByTwoProcessesWithListers(t *testing.T) {
	w := newTestNode(t, "pace")
	w.reportUpdated()
	h := watchFrom(t, w)
	daemon, daemonRequests, daemonSees := w.informed(t.Context())
	controller, controllerRequests, controllerSees := w.informed(t.Context())
	w.reboot(func(_ int, c call) {
		m := daemon
		if slices.Contains([]phases.Phase{phases.Cordoned, phases.Drained, phases.Uncordoned}, c.phase) {
			m = controller
		}
		c.make(t, m)
		h.catchUp()
		daemonSees(h.last().ResourceVersion)
		controllerSees(h.last().ResourceVersion)
	})
	h.check()
	h.checkEnded()
	t.Logf("daemon: %v; controller: %v", daemonRequests, controllerRequests)
	for _, r := range []*transport{daemonRequests, controllerRequests} {
		assert.Zero(t, r.answered(http.StatusConflict))
		assert.LessOrEqual(t, r.of("read"), 1, "the first one")
	}
}
