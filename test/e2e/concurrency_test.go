package e2e

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/phases"
)

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
