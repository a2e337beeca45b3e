package screen

import (
	"testing"

	"github.com/stretchr/testify/assert"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// If the disruption controller could not count the pods of a budget, the screen shows the cause instead of the counts.
func TestTheHealthOfABudgetIsItsCountOrTheFailureToCount(t *testing.T) {
	for reason, want := range map[string]string{policyv1.SyncFailedReason: "no controller", policyv1.InsufficientPodsReason: "1 of 2 healthy"} {
		b := cluster.Budget{}
		b.CurrentHealthy, b.ExpectedPods = 1, 2
		b.Conditions = []metav1.Condition{{Type: policyv1.DisruptionAllowedCondition, Reason: reason, Message: "no controller"}}
		assert.Equal(t, want, healthOf(b), reason)
	}
}
