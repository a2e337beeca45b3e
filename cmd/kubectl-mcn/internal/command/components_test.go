package command

import (
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// componentsOf returns the MachineConfiguration with conditions that have not changed for 76 minutes.
func componentsOf(list ...metav1.Condition) *operatorv1.MachineConfiguration {
	for i := range list {
		list[i].LastTransitionTime = metav1.NewTime(now.Add(-76 * time.Minute))
	}
	return configuration(list...)
}

func is(c components.Component, a components.Aspect, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: components.TypeOf(c, a), Status: status, Reason: reason, Message: message}
}

// slow returns a cluster in its bootstrap. The operator waits for a pool, the controller is degraded, and the daemons
// had an error.
func slow() *operatorv1.MachineConfiguration {
	return componentsOf(
		is(components.Operator, components.Degraded, "False", "AsExpected", ""),
		is(components.Operator, components.Progressing, "True", "OperatorSyncMCPRequired", "worker: running since 2026-03-04T12:58:05Z"),
		is(components.Operator, components.Available, "True", "AsExpected", ""),
		is(components.Controller, components.Degraded, "True", "SyncMCCMachineConfigPoolFailed", "worker: no such \x1b[31mimage; and 2 more"),
		is(components.Controller, components.Available, "Unknown", "NoData", ""),
		is(components.Daemon, components.Degraded, "False", "AsExpected", "Last error, resolved 2026-03-04T14:00:05Z, in SyncMCD: Degraded nodes (1): worker-0"),
		is(components.Daemon, components.Available, "True", "AsExpected", ""),
		is(components.Bootstrap, components.Progressing, "True", string(components.BootstrapProgression), "The first sync is at step OperatorSyncMCPRequired"))
}

func TestComponentsLookAsRecorded(t *testing.T) {
	t.Parallel()
	list := asList(t, slow())
	golden(t, "components-slow.txt", execute(t, list, "components", "-f", "-").stdout)
	got := execute(t, asList(t, configuration()), "components", "-f", "-").stdout
	assert.Contains(t, got, "health: Unknown, 20")
	assert.NotContains(t, got, "!", "a component that has reported nothing is no problem")
	got = execute(t, asList(t, componentsOf(
		is(components.Operator, components.Degraded, "False", "AsExpected", ""), is(components.Operator, components.Progressing, "True", "OperatorSyncMCPRequired", ""),
	)), "components", "-f", "-").stdout
	assert.Contains(t, got, "\n! operator: MachineConfigOperatorAvailable is Unknown, NotReported\n")
	assert.NotContains(t, got, "~", "a step without a message does not take long")
	got = execute(t, asList(t, componentsOf(is(components.Operator, components.Progressing, "False", "AsExpected", "x"))), "components", "-f", "-").stdout
	assert.NotContains(t, got, "AsExpected", "the operator does nothing")
}

// The first screen names a component that is degraded, even if Available is Unknown or missing, and a component whose
// health is unknown.
func TestTheFirstScreenNamesUnhealthyComponents(t *testing.T) {
	t.Parallel()
	pools := append([]runtime.Object{newPool("worker", newConfig)}, doneNodes(3)...)
	for want, conditions := range map[string][]metav1.Condition{
		"controller unhealthy: kubectl mcn components": {
			is(components.Controller, components.Degraded, "True", "SyncMCCFailed", "x"), is(components.Controller, components.Available, "Unknown", "NoData", ""),
		},
		"controller unhealthy; operator unknown: kubectl mcn components": {
			is(components.Controller, components.Degraded, "True", "SyncMCCFailed", "x"), is(components.Operator, components.Degraded, "False", "AsExpected", ""),
		},
		"operator unknown: kubectl mcn components": {
			is(components.Operator, components.Degraded, "False", "AsExpected", ""), is(components.Operator, components.Available, "Unknown", "NoData", ""),
		},
	} {
		got := execute(t, asList(t, append(pools, componentsOf(conditions...))...), "-f", "-").stdout
		assert.Contains(t, got, "\n"+want+"\n")
	}
	healthy := componentsOf(is(components.Operator, components.Degraded, "False", "AsExpected", ""), is(components.Operator, components.Available, "True", "AsExpected", ""))
	assert.NotContains(t, execute(t, asList(t, append(pools, healthy)...), "-f", "-").stdout, "kubectl mcn components")
}
