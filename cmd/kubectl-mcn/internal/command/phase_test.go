package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/phases"
)

// internal/phasetable has the test of the library with another row.
func TestAnotherRowOfTheTableOfPhasesIsAStepOnTheScreen(t *testing.T) {
	const another phases.Phase = "FilesVerified"
	phasetable.Insert(t, phases.UpdatePostActionComplete, phasetable.Row{Phase: another, Kind: phasetable.Child, Parent: phases.UpdateExecuted,
		Mode: phasetable.StandardOnly, OnlyInUpdate: true, Doing: "verifying files"})
	r := newReporting(t, false)
	r.report(phases.Updated, metav1.ConditionFalse, "Node needs an update")
	r.report(another, metav1.ConditionUnknown, "Verifying 12 files")
	list := asList(t, newPool("worker", newConfig), r.object(t), r.node)
	assert.Contains(t, execute(t, list, "-f", "-").stdout, "Verifying files")
	assert.Contains(t, execute(t, list, "node", "worker-0", "-f", "-").stdout, "Verifying files")
}
