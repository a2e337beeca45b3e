package command

import (
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/phases"
)

// The entry of the operator comes after those of the nodes, and leaves out what the entries of pools and nodes say.
func TestTheOperatorDoesNotRepeatNodes(t *testing.T) {
	t.Parallel()
	degraded := newNode("worker-0", "worker", newConfig, now)
	setCondition(degraded, phases.NodeDegraded, 0, "disk full")
	infra := updatedPool("infra", "rendered-infra-1")
	for text, isShown := range map[string]bool{
		"error during syncRequiredMachineConfigPools: [context deadline exceeded, pool worker has not progressed]": false,
		"error required MachineConfigPool worker is not ready, retrying":                                           false,
		"One or more machine config pools are degraded, please see `oc get mcp`":                                   false,
		"error MachineConfigPool infra is not ready, retrying":                                                     true,
		"error required MachineConfigPool worker is not ready; MachineConfigPool infra is not ready":               true,
		"error syncing Kubelet config: no kubeconfig":                                                              true,
	} {
		operator := &configv1.ClusterOperator{TypeMeta: metav1.TypeMeta{APIVersion: "config.openshift.io/v1", Kind: "ClusterOperator"}, ObjectMeta: metav1.ObjectMeta{Name: "machine-config"}}
		operator.Status.Conditions = []configv1.ClusterOperatorStatusCondition{
			{Type: configv1.OperatorDegraded, Status: configv1.ConditionTrue, LastTransitionTime: metav1.NewTime(now), Message: text},
			{Type: configv1.OperatorAvailable, Status: configv1.ConditionFalse, LastTransitionTime: metav1.NewTime(now), Message: "Cluster not available for [{operator 4.20.5}]"},
		}
		got := execute(t, asList(t, []runtime.Object{operator, infra, newPool("worker", newConfig), degraded}...), "-f", "-", "--at", "now").stdout
		screen := strings.Join(strings.Fields(got), " ")
		assert.Equal(t, isShown, strings.Contains(screen, text), text)
		assert.NotContains(t, screen, "not available for", "the message of Available has no cause")
		assert.Regexp(t, `! worker-0: .*! cluster operator machine-config: unavailable since 14:16:05 \(0s\), degraded since 14:16:05 \(0s\) `, screen)
	}
}

func TestUnreadyNodesShareAnEntryOnlyForTheSameReason(t *testing.T) {
	t.Parallel()
	for message, isShared := range map[string]bool{"Kubelet stopped posting node status.": true, "No CNI configuration file": false} {
		objects := []runtime.Object{newPool("worker", newConfig)}
		for name, why := range map[string]string{"worker-0": "Kubelet stopped posting node status.", "worker-1": message} {
			n, kube := newNode(name, "worker", oldConfig, now.AddDate(0, 0, -1)), newKubeNode(name)
			update(n, newConfig, now.AddDate(0, 0, -1), phases.RebootedNode)
			kube.Status.Conditions[0].Status, kube.Status.Conditions[0].Message = "Unknown", why
			objects = append(objects, n, kube)
		}
		got := execute(t, asList(t, objects...), "-f", "-", "--at", "2026-03-04T14:16:05Z").stdout
		assert.Equal(t, isShared, strings.Contains(got, "the same: worker-1"), got)
		assert.Contains(t, got, "\n    "+message+"\n")
		got = execute(t, asList(t, objects...), "-f", "-", "-o", `jsonpath={.pools[0].nodes[1].unavailable[0].message}`).stdout
		assert.Equal(t, message, got)
	}
}

// An entry has the error of the node, and then the message of the condition that makes the node unavailable.
func TestAnErrorComesBeforeTheMessageOfTheNode(t *testing.T) {
	t.Parallel()
	n, kube := newNode("worker-0", "worker", oldConfig, now.AddDate(0, 0, -1)), newKubeNode("worker-0")
	update(n, newConfig, now.AddDate(0, 0, -1), phases.RebootedNode)
	setCondition(n, phases.NodeDegraded, time.Hour, "disk full")
	kube.Status.Conditions[0].Status, kube.Status.Conditions[0].Message = "Unknown", "Kubelet stopped posting node status."
	got := execute(t, asList(t, newPool("worker", newConfig), n, kube), "-f", "-").stdout
	assert.Contains(t, got, "\n    disk full\n    Kubelet stopped posting node status.\n    next: ")
}
