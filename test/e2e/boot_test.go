package e2e

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// Each step of an update fails three times and then succeeds.
func TestAFailedStepShowsItsCause(t *testing.T) {
	for _, tc := range []struct {
		phase phases.Phase
		image bool
	}{
		{phases.UpdatePrepared, false},
		{phases.Cordoned, false},
		{phases.Drained, false},
		{phases.AppliedFilesAndOS, false},
		{phases.ImagePulledFromRegistry, true},
		{phases.RebootedNode, false},
		{phases.Uncordoned, false},
	} {
		t.Run(string(tc.phase), func(t *testing.T) {
			name := "fails-" + strings.ToLower(string(tc.phase))
			w := newTestNode(t, name)
			if tc.image {
				w = newImageModeNode(t, name)
			}
			w.reportUpdated()
			h := watchFrom(t, w)
			m, requests := w.monitor("master")
			w.annotate(oldConfig, newConfig)
			call{phases.Updated, no, nil}.make(t, m)

			broken := errors.New("disk full")
			for range 3 {
				require.Equal(t, broken, m.Track(t.Context(), tc.phase, "Working", func(context.Context) error { return broken }))
				m.ReportDegraded(t.Context(), broken)
				failed := []phases.Phase{tc.phase}
				if parent, ok := phases.ParentOf(tc.phase); ok {
					failed = append(failed, parent)
				}
				for _, p := range failed {
					c, _ := statusOf(w.object().Status.Conditions, string(p))
					assert.Equal(t, running, c.Status, p)
					assert.Contains(t, c.Message, "disk full", p)
				}
			}
			since, _ := statusOf(h.catchUp()[1].Status.Conditions, string(tc.phase))
			still, _ := statusOf(w.object().Status.Conditions, string(tc.phase))
			if since.Status == running {
				assert.Equal(t, since.LastTransitionTime, still.LastTransitionTime, "stuck since the first time")
			}

			require.NoError(t, m.Track(t.Context(), tc.phase, "Working", func(context.Context) error { return nil }))
			w.annotate(newConfig, newConfig)
			call{phases.Updated, done, nil}.make(t, m)
			degraded, _ := statusOf(w.object().Status.Conditions, "NodeDegraded")
			assert.Equal(t, no, degraded.Status, "the end of the update clears it")
			assert.Contains(t, degraded.Message, "Action during update to "+newConfig)
			m.ReportDegraded(t.Context(), nil)
			h.catchUp()
			h.check()
			h.checkEnded()
			assert.Zero(t, requests.answered(http.StatusUnprocessableEntity))
		})
	}
}

// The administrator reverts a config that could not be validated, or whose files could not be written.
func TestRevertingAConfigThatFailedBeginsAnotherUpdate(t *testing.T) {
	for name, failed := range map[string]struct {
		phase   phases.Phase
		desired string
	}{
		"validation": {phases.UpdatePrepared, oldConfig},
		"files":      {phases.AppliedFilesAndOS, newConfig},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestNode(t, "reverted-"+name)
			w.reportUpdated()
			h := watchFrom(t, w)
			m, _ := w.monitor("master")
			w.annotate(oldConfig, newConfig)
			call{phases.Updated, no, nil}.make(t, m)
			if failed.phase != phases.UpdatePrepared {
				call{phases.UpdatePrepared, done, nil}.make(t, m)
			}
			broken := errors.New("disk full")
			require.Equal(t, broken, m.Track(t.Context(), failed.phase, "Working", func(context.Context) error { return broken }))
			status := w.object().Status
			c, _ := statusOf(status.Conditions, string(failed.phase))
			assert.Equal(t, "Working: disk full", c.Message)
			assert.Equal(t, failed.desired, status.ConfigVersion.Desired, "that which was validated")

			w.annotate(oldConfig, oldConfig)
			call{phases.Updated, no, nil}.make(t, m)
			assert.True(t, isReset(w.object().Status.Conditions))
			if c, _ = statusOf(w.object().Status.Conditions, string(failed.phase)); failed.phase != phases.UpdatePrepared {
				assert.Equal(t, "Action during update to "+newConfig+": Working: disk full", c.Message)
			}
			call{phases.UpdatePrepared, done, nil}.make(t, m)
			call{phases.Updated, done, nil}.make(t, m)
			h.catchUp()
			h.check()
			h.checkEnded()
		})
	}
}

// It starts without an object, and with each kind of incomplete one.
func TestFirstBootEndsWithACompleteObject(t *testing.T) {
	for name, prepare := range map[string]func(*testNode){
		"no-object":      func(w *testNode) { w.annotate(oldConfig, oldConfig) },
		"no-annotations": func(w *testNode) { w.annotate("", "") },
		"not-registered": func(w *testNode) {
			w.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: w.name}}
		},
		"not-yet-set": func(w *testNode) {
			w.annotate("", "")
			m, _ := w.monitor("")
			require.NoError(w.t, m.GenerateAndApplyMachineConfigNodeSpec(w.t.Context()))
			w.annotate(oldConfig, oldConfig)
		},
		"defaults-missing": func(w *testNode) {
			w.reportUpdated()
			w.mergeStatus(`{"status":{"conditions":[{"type":"Drained","status":"False","reason":"NotYetOccurred","message":"","lastTransitionTime":"2026-05-22T12:37:24Z"}]}}`)
		},
		"unowned-only": func(w *testNode) {
			w.reportUpdated()
			w.mergeStatus(`{"status":{"conditions":[{"type":"InternalReleaseImageDegraded","status":"False","reason":"AsExpected","message":"","lastTransitionTime":"2026-05-22T12:37:24Z"}]}}`)
		},
		"empty": func(w *testNode) {
			w.reportUpdated()
			w.mergeStatus(`{"status":null}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestNode(t, "boot-"+name)
			prepare(w)
			m, requests := w.monitor("master")
			require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
			call{phases.Resumed, done, nil}.make(t, m)
			call{phases.Uncordoned, done, []upgrademonitor.ReportOption{upgrademonitor.CompletesParent()}}.make(t, m)
			call{phases.Updated, done, nil}.make(t, m)

			object := w.object()
			assert.Equal(t, "master", object.Spec.Pool.Name)
			for _, p := range standardMode {
				_, ok := statusOf(object.Status.Conditions, p)
				assert.True(t, ok, p)
			}
			require.NotNil(t, object.Status.ConfigVersion)
			assert.NotEmpty(t, object.Status.ConfigVersion.Desired)
			assert.Zero(t, requests.answered(http.StatusUnprocessableEntity))
			assert.Zero(t, requests.answered(http.StatusBadRequest))
		})
	}
}

// mergeStatus writes the status as another client.
func (w *testNode) mergeStatus(patch string) {
	w.t.Helper()
	_, err := w.admin.MachineconfigurationV1().MachineConfigNodes().Patch(w.t.Context(), w.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "someone"}, "status")
	require.NoError(w.t, err)
}

func TestTheOwnerReferenceFollowsARecreatedNode(t *testing.T) {
	w := newTestNode(t, "recreated")
	w.reportUpdated()
	w.recreateNode()
	m, requests := w.monitor("master")
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.Equal(t, "1 read, 1 spec", requests.String())
	assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: w.name, UID: w.node.UID}}, w.object().OwnerReferences)
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.Equal(t, 2, requests.all())
}
