package plan_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// An Updated that was never reported is no update under way: the first Updated=False begins one, even
// for what the spec desires already. Older daemons spell the reason otherwise.
func TestAnUpdatedThatWasNeverReportedIsNoUpdateUnderWay(t *testing.T) {
	for reason, begins := range map[string]bool{"NotYetOccurred": true, "NotYetOccured": true, "Updated": false} {
		s := plan.State{Generation: 1}.Sync(viewOf("a", "b"))
		s.Status.Conditions = slices.Clone(conditions.Complete(nil, false, now))
		conditions.Find(s.Status.Conditions, phases.Updated).Reason = reason
		planned, err := report(phases.Updated, metav1.ConditionFalse, viewOf("a", "b")).Plan(s)
		require.NoError(t, err)
		assert.Equal(t, begins, planned.StartsUpdate, reason)
	}
}
