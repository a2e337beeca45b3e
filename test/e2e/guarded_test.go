package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGuardLetsTheLibraryThrough is the standard update by a daemon with the token of its
// Pod, with both policies in force, from an object that does not exist yet.
func TestGuardLetsTheLibraryThrough(t *testing.T) {
	w := guardedWorldOn(t, standard, "guarded")
	w.settle()
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

// TestGuardLetsTheTracesThrough replays what the daemon and the controller do, both with
// the daemon's token, which is stricter than what a cluster does.
func TestGuardLetsTheTracesThrough(t *testing.T) {
	traces := readTraces(t)
	for name, tr := range traces {
		t.Run(name, func(t *testing.T) {
			replayAll(t, guardedWorldOn(t, clusterOf(t, tr), "guarded-"+strings.ReplaceAll(name, "_", "-")), traces, tr)
		})
	}
}
