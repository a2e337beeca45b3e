package upgrademonitor

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// ReportDegraded reports that the update of the node failed, and why, or, with a nil cause,
// that it did not. The condition NodeDegraded stays as it is until the next such report,
// through the beginning and the end of updates. Errors are those of
// GenerateAndApplyMachineConfigNode.
func (m *Monitor) ReportDegraded(ctx context.Context, cause error) error {
	status, message := metav1.ConditionFalse, fmt.Sprintf("Node %s upgrade succeeded", m.config.NodeName)
	if cause != nil {
		status, message = metav1.ConditionTrue, fmt.Sprintf("Node %s upgrade failure. %v", m.config.NodeName, cause)
	}
	return m.GenerateAndApplyMachineConfigNode(ctx, phases.NodeDegraded, string(phases.NodeDegraded), message, status)
}
