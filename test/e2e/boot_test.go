package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

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
			call{phases.Uncordoned, done, []upgrademonitor.Option{upgrademonitor.CompletesParent()}}.make(t, m)
			call{phases.Updated, done, nil}.make(t, m)

			object := w.object()
			assert.Equal(t, "master", object.Spec.Pool.Name)
			for _, p := range typesOf(false) {
				_, ok := statusOf(object.Status.Conditions, p)
				assert.True(t, ok, p)
			}
			require.NotNil(t, object.Status.ConfigVersion)
			assert.NotEmpty(t, object.Status.ConfigVersion.Desired)
			assert.Zero(t, requests.answered(http.StatusUnprocessableEntity, http.StatusBadRequest))
		})
	}
}
