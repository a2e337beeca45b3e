package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// foreignCondition is a condition of another manager. Go's types keep its instant, but not its spelling.
const foreignCondition = `{"lastTransitionTime":"2026-01-01T02:00:00.500+02:00","message":"","observedGeneration":0,"reason":"AsExpected","status":"%s","type":"InternalReleaseImageDegraded"}`

// foreign returns the conditions and fields of the status that belong to other clients.
func (w *testNode) foreign() []string {
	w.t.Helper()
	var object struct {
		Status struct {
			Conditions            []json.RawMessage
			IrreconcilableChanges json.RawMessage
		}
	}
	data, err := mcfgClient(w.t, w.cluster.Config()).MachineconfigurationV1().RESTClient().Get().Resource("machineconfignodes").Name(w.name).Do(w.t.Context()).Raw()
	require.NoError(w.t, err)
	require.NoError(w.t, json.Unmarshal(data, &object))
	found := []string{string(object.Status.IrreconcilableChanges)}
	for _, raw := range object.Status.Conditions {
		var c metav1.Condition
		require.NoError(w.t, json.Unmarshal(raw, &c))
		if phases.KindOf(phases.Phase(c.Type)) == "" {
			c.LastTransitionTime = c.LastTransitionTime.Rfc3339Copy()
			found = append(found, fmt.Sprintf("%s=%s %v %s %q", c.Type, c.Status, c.LastTransitionTime.UTC(), c.Reason, c.Message))
		}
	}
	return found
}

// writeForeign changes what belongs to another manager, and keeps all other conditions.
func (w *testNode) writeForeign(status string) {
	w.t.Helper()
	var list []any
	for _, c := range w.object().Status.Conditions {
		if phases.KindOf(phases.Phase(c.Type)) != "" {
			list = append(list, c)
		}
	}
	data, err := json.Marshal(append(list, json.RawMessage(fmt.Sprintf(foreignCondition, status))))
	require.NoError(w.t, err)
	w.mergeStatus(fmt.Sprintf(`{"status":{"conditions":%s,"irreconcilableChanges":[{"fieldPath":"spec.config.storage","diff":%q}]}}`, data, status))
}

// Another manager writes between all reports of an update, in which the mode changes as well.
func TestForeignConditionsAndFieldsStayAsTheyAre(t *testing.T) {
	for _, informed := range []bool{false, true} {
		t.Run(fmt.Sprintf("informed %t", informed), func(t *testing.T) {
			w := newImageModeNode(t, fmt.Sprintf("foreign-%t", informed))
			w.imageMode = false
			w.reportUpdated()
			w.writeForeign("False")
			history := watchFrom(t, w)
			m, requests := w.monitor("master")
			caughtUp := func(string) {}
			if informed {
				m, requests, caughtUp = w.informed(t.Context())
			}
			w.annotate(oldConfig, newConfig)
			for i, c := range append(rebootCalls, call{phases.AppliedFiles, done, nil}) {
				status := []string{"True", "False"}[i%2]
				w.writeForeign(status)
				before := w.foreign()
				require.Contains(t, before[1], "InternalReleaseImageDegraded="+status+" 2026-01-01 00:00:00 +0000 UTC")
				caughtUp(w.object().ResourceVersion)
				w.imageMode = c.phase == phases.AppliedFiles
				if c.phase == phases.Updated && c.status == done {
					w.annotate(newConfig, newConfig)
				}
				c.make(t, m)
				require.Equal(t, before, w.foreign(), "%s %s", c.phase, c.status)
			}
			history.catchUp()
			history.check()
			assert.Zero(t, requests.answered(http.StatusUnprocessableEntity))
			t.Logf("%v, %d conflicts", requests, requests.answered(http.StatusConflict))
			if informed { // it reads what is foreign, as an informer may trim it
				assert.LessOrEqual(t, requests.of("read"), len(rebootCalls)+1)
				assert.Zero(t, requests.answered(http.StatusConflict))
			}
		})
	}
}
