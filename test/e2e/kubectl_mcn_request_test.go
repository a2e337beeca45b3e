package e2e

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The time at which an update was requested does not change when the daemon reports, or writes the same spec again. The test
// sets this time back by an hour, so that it would see a change.
func TestReportsDoNotChangeTheTimeOfTheRequest(t *testing.T) {
	program := build(t, "cmd/kubectl-mcn")
	w := newTestNode(t, "progress-request")
	w.reportUpdated()
	m, _ := w.monitor("master")
	w.annotate(oldConfig, newConfig)
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	n := w.shown(program)
	assert.True(t, n.isRequested())
	assert.WithinDuration(t, time.Now(), n.Requested, time.Hour/2)

	hourAgo := w.backdateSpec()
	require.Equal(t, hourAgo, w.shown(program).Requested)

	w.rebootUpdate(m)
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	n = w.shown(program)
	assert.Equal(t, "Idle", n.State)
	assert.Equal(t, hourAgo, n.Requested, "neither reports nor a repeated spec call change the time of the request")
	assert.Greater(t, n.Completed.Sub(n.Requested), time.Hour/2, "the update has lasted since its request")

	w.annotate(newConfig, oldConfig)
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	n = w.shown(program)
	assert.True(t, n.isRequested())
	assert.WithinDuration(t, time.Now(), n.Requested, time.Hour/2, "another desired config is another request")
}

// shownNode is what kubectl mcn shows of a node.
type shownNode struct {
	State                         string
	Requested, Started, Completed time.Time
}

func (n shownNode) isRequested() bool { return n.State == "Updating" && n.Started.IsZero() }

// shown returns what kubectl mcn shows of the object. dir has the program.
func (w *testNode) shown(dir string) (n shownNode) {
	w.t.Helper()
	show(w.t, dir, []*mcfgv1.MachineConfigNode{w.object()}, &n, "node", w.name)
	return n
}

// backdateSpec makes every entry of the spec in managedFields an hour old, and returns that time. The
// server accepts such times only together with another change: a label.
func (w *testNode) backdateSpec() time.Time {
	w.t.Helper()
	hourAgo := time.Now().UTC().Add(-time.Hour).Truncate(time.Second)
	patch := []map[string]any{{"op": "add", "path": "/metadata/labels", "value": map[string]string{"backdated": hourAgo.Format("150405")}}}
	for i, entry := range w.object().ManagedFields {
		if entry.Subresource == "" {
			patch = append(patch, map[string]any{"op": "replace", "path": fmt.Sprintf("/metadata/managedFields/%d/time", i), "value": hourAgo})
		}
	}
	require.Greater(w.t, len(patch), 1)
	data, err := json.Marshal(patch)
	require.NoError(w.t, err)
	_, err = w.admin.Patch(w.t.Context(), w.name, types.JSONPatchType, data, metav1.PatchOptions{FieldManager: "test"})
	require.NoError(w.t, err)
	return hourAgo
}
