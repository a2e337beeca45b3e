package e2e

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestRequestIsNotMovedByReports: the request of an update is an hour old, so that any change of it is
// visible.
func TestRequestIsNotMovedByReports(t *testing.T) {
	w := newTestNode(t, "progress-request")
	w.reportUpdated()
	m, _ := w.monitor("master")
	w.annotate(oldConfig, newConfig)
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	n := progress.FromMachineConfigNode(w.object())
	assert.True(t, n.NotStarted)
	assert.WithinDuration(t, time.Now(), n.Requested, time.Hour/2)

	hourAgo := w.backdateSpec()
	require.Equal(t, hourAgo, progress.FromMachineConfigNode(w.object()).Requested)

	w.rebootUpdate(m)
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	n = progress.FromMachineConfigNode(w.object())
	assert.True(t, n.Reported && !n.InUpdate())
	assert.Equal(t, hourAgo, n.Requested, "reports, and a spec that has not changed")
	assert.Greater(t, n.Completed.Sub(n.Requested), time.Hour/2, "the duration of the update")

	w.annotate(newConfig, oldConfig)
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	n = progress.FromMachineConfigNode(w.object())
	assert.True(t, n.NotStarted)
	assert.WithinDuration(t, time.Now(), n.Requested, time.Hour/2, "another request")
}

// TestRequestIsNotMovedByAppliesThatChangeNothing: a daemon applies its spec again and again, and a
// controller updates it, both without this library.
func TestRequestIsNotMovedByAppliesThatChangeNothing(t *testing.T) {
	w := newTestNode(t, "progress-applies")
	w.reportUpdated()
	apply := func(config string) {
		_, err := w.admin.Apply(t.Context(), mcfgapply.MachineConfigNode(w.name).WithSpec(mcfgapply.MachineConfigNodeSpec().
			WithNode(mcfgapply.MCOObjectReference().WithName(w.name)).
			WithPool(mcfgapply.MCOObjectReference().WithName("master")).
			WithConfigVersion(mcfgapply.MachineConfigNodeSpecMachineConfigVersion().WithDesired(config))),
			metav1.ApplyOptions{FieldManager: "machine-config-operator", Force: true})
		require.NoError(t, err)
	}
	update := func(config string) {
		object := w.object()
		object.Spec.ConfigVersion.Desired = config
		_, err := w.admin.Update(t.Context(), object, metav1.UpdateOptions{FieldManager: "machine-config-operator"})
		require.NoError(t, err)
	}
	apply(oldConfig)
	update(newConfig)
	assert.True(t, progress.FromMachineConfigNode(w.object()).NotStarted)

	hourAgo := w.backdateSpec()
	for range 3 {
		apply(newConfig)
		update(newConfig)
	}
	w.mergeStatus(`{"status":{"configVersion":{"desired":"` + newConfig + `"}}}`)
	assert.Equal(t, hourAgo, progress.FromMachineConfigNode(w.object()).Requested)

	update(oldConfig)
	assert.WithinDuration(t, time.Now(), progress.FromMachineConfigNode(w.object()).Requested, time.Hour/2)
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
