package upgrademonitor_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apiserver"
)

// A write of the status keeps the conditions and the other fields of other clients.
func TestConditionsOfOtherClients(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		release := metav1.Condition{Type: "InternalReleaseImageDegraded", Status: metav1.ConditionTrue,
			Reason: "R", LastTransitionTime: metav1.Unix(1767323045, 0)}
		f.write(t, apiserver.StatusSubresource, func(mcn *mcfgv1.MachineConfigNode) {
			mcn.Status.Conditions = append([]metav1.Condition{release}, mcn.Status.Conditions...)
			mcn.Status.IrreconcilableChanges = []mcfgv1.IrreconcilableChangeDiff{{FieldPath: "spec.kernelType", Diff: "d"}}
		})
		f.report(t, phases.Updated, metav1.ConditionFalse)
		status := f.object().Status
		assert.Equal(t, metav1.ConditionFalse, f.status(phases.Updated))
		assert.Len(t, status.Conditions, len(phases.All(false))+1)
		assert.Contains(t, status.Conditions, release)
		assert.Len(t, status.IrreconcilableChanges, 1)
	})
}
