package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The daemon has the token of its Pod, and the object does not exist yet.
func TestTheGuardAllowsEveryRequestOfAnUpdate(t *testing.T) {
	w := guardedNodeOn(t, standard, "guarded")
	w.reportUpdated()
	h := watchFrom(t, w)
	m, requests := w.monitor("master")
	for _, hook := range rebootHooks() {
		require.NoError(t, hook.do(t.Context(), w, m), hook.name)
	}
	h.catchUp()
	h.check()
	h.checkEnded()
	t.Logf("%v", requests)
	assert.Equal(t, requests.all(), requests.answered(http.StatusOK), "every request is answered with 200")
}

// The controller has the daemon's token too, which is stricter than on a cluster.
func TestTheGuardAllowsEveryRequestOfTheTraces(t *testing.T) {
	traces := readTraces(t)
	for name, tr := range traces {
		t.Run(name, func(t *testing.T) {
			replayAll(t, guardedNodeOn(t, clusterOf(t, tr), "guarded-"+strings.ReplaceAll(name, "_", "-")), traces, tr)
		})
	}
}
