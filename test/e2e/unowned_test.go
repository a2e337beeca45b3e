package e2e

import (
	"net/http"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgapply "github.com/openshift/client-go/machineconfiguration/applyconfigurations/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
)

// Another manager owns a condition and a field of the status before the update.
func TestAnUpdateKeepsConditionsAndFieldsOfOtherManagers(t *testing.T) {
	w := newTestNode(t, "unowned")
	w.reportUpdated()
	unowned := applymetav1.Condition().
		WithType(string(mcfgv1.MachineConfigNodeInternalReleaseImageDegraded)).
		WithStatus(metav1.ConditionFalse).
		WithReason("AsExpected").
		WithMessage("All is good").
		WithLastTransitionTime(metav1.NewTime(time.Now().UTC().Truncate(time.Second)))
	status := mcfgapply.MachineConfigNodeStatus().
		WithConditions(unowned).
		WithIrreconcilableChanges(mcfgapply.IrreconcilableChangeDiff().WithFieldPath("spec.config.storage").WithDiff("- a\n+ b"))
	client := w.admin.MachineconfigurationV1().MachineConfigNodes()
	before, err := client.ApplyStatus(t.Context(), mcfgapply.MachineConfigNode(w.name).WithStatus(status), metav1.ApplyOptions{FieldManager: "release-image"})
	require.NoError(t, err)
	require.Len(t, before.Status.IrreconcilableChanges, 1)

	history := watchFrom(t, w)
	m, requests := w.monitor("master")
	w.rebootUpdate(m)
	assert.Zero(t, requests.answered(http.StatusConflict))
	assert.Zero(t, requests.answered(http.StatusUnprocessableEntity))
	history.catchUp()
	history.check()
	history.checkEnded()

	want, ok := statusOf(before.Status.Conditions, *unowned.Type)
	require.True(t, ok)
	for _, event := range history.events {
		got, ok := statusOf(event.Status.Conditions, *unowned.Type)
		assert.True(t, ok)
		assert.Equal(t, want, got)
		assert.Equal(t, before.Status.IrreconcilableChanges, event.Status.IrreconcilableChanges)
	}
	for _, entry := range history.last().ManagedFields {
		if entry.Manager == "machine-config-operator" && entry.Subresource == "status" {
			assert.NotContains(t, entry.FieldsV1.GetRawString(), *unowned.Type)
			assert.NotContains(t, entry.FieldsV1.GetRawString(), "irreconcilableChanges")
		}
	}
}
