package components_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// The table has the health for each status of Degraded and Available. The status "" is a missing condition.
func TestHealthDependsOnDegradedAndAvailable(t *testing.T) {
	const healthy, unhealthy, isUnknown = components.Healthy, components.Unhealthy, components.Unknown
	available := []metav1.ConditionStatus{yes, no, unknown, "", "Perhaps"}
	for degraded, want := range map[metav1.ConditionStatus][]components.Health{
		yes:     {unhealthy, unhealthy, unhealthy, unhealthy, unhealthy},
		no:      {healthy, unhealthy, isUnknown, isUnknown, isUnknown},
		unknown: {isUnknown, isUnknown, isUnknown, isUnknown, isUnknown},
		"":      {isUnknown, isUnknown, isUnknown, isUnknown, isUnknown},
	} {
		for i, status := range available {
			for _, c := range []components.Component{components.Operator, components.Controller, components.Daemon} {
				assert.Equal(t, want[i], components.HealthOf(statuses(c, status, degraded), c), "%s: Available=%q and Degraded=%q", c, status, degraded)
			}
		}
	}
	assert.Equal(t, isUnknown, components.HealthOf(nil, components.Bootstrap))
	assert.Equal(t, isUnknown, components.HealthOf([]metav1.Condition{{Status: yes}}, "MachineConfigServer"))
}

// statuses returns the conditions Available and Degraded of a component. The status "" omits a condition.
func statuses(c components.Component, available, degraded metav1.ConditionStatus) []metav1.Condition {
	list := []metav1.Condition{{Type: "Other", Status: yes}}
	if available != "" {
		list = append(list, metav1.Condition{Type: components.TypeOf(c, components.Available), Status: available})
	}
	if degraded != "" {
		list = append(list, metav1.Condition{Type: components.TypeOf(c, components.Degraded), Status: degraded})
	}
	return list
}

func TestOverallIsTheWorstHealth(t *testing.T) {
	healths := []components.Health{components.Healthy, components.Unknown, components.Unhealthy}
	available := []metav1.ConditionStatus{yes, unknown, no} // each status leads to the health with the same index
	for n := range 27 {
		a, b, c := n%3, n/3%3, n/9
		list := slices.Concat(statuses(components.Operator, available[a], no), statuses(components.Controller, available[b], no), statuses(components.Daemon, available[c], no))
		assert.Equal(t, healths[max(a, b, c)], components.Overall(list))
	}
	assert.Equal(t, components.Unknown, components.Overall(nil))
}

// If all errors are resolved, MostRecentError returns the error that was resolved last.
func TestMostRecentErrorIsTheNewestUnresolvedError(t *testing.T) {
	list := func(conditions ...metav1.Condition) []metav1.Condition { return conditions }
	degraded := func(c components.Component, reason, message string, minute time.Duration) metav1.Condition {
		status := yes
		if reason == "AsExpected" {
			status = no
		}
		since := metav1.NewTime(noon.Add(minute * time.Minute))
		return metav1.Condition{Type: components.TypeOf(c, components.Degraded), Status: status, Reason: reason, Message: message, LastTransitionTime: since}
	}
	last := func(c components.Component, message string) metav1.Condition {
		return degraded(c, "AsExpected", "Last error, resolved "+message, 60)
	}
	const operator, controller, daemon = components.Operator, components.Controller, components.Daemon
	for name, tc := range map[string]struct {
		list []metav1.Condition
		want string
	}{
		"no conditions": {nil, ""},
		"no error":      {list(degraded(operator, "AsExpected", "", 0)), ""},
		"one error":     {list(degraded(operator, "OperatorSyncMCDFailed", "timed out", 0)), "MachineConfigOperator OperatorSyncMCD 12:00 timed out false"},
		"a stuck pass":  {list(degraded(operator, "OperatorSyncMCDStuck", "running", 0)), "MachineConfigOperator OperatorSyncMCD 12:00 running false"},
		"three errors":  {list(degraded(operator, "OperatorSyncMCDFailed", "old", 0), degraded(controller, "SyncMCCFailed", "new", 1), degraded(daemon, "SyncMCDFailed", "older", -1)), "MachineConfigController SyncMCC 12:01 new false"},
		"an error that was resolved before the unresolved error": {list(last(operator, "2026-05-22T12:01:00Z, in OperatorSync: x"), degraded(daemon, "SyncMCDFailed", "disk full", 0)), "MachineConfigDaemon SyncMCD 12:00 disk full false"},
		"an error that was resolved after the unresolved error":  {list(degraded(operator, "OperatorSyncMCDFailed", "open", 0), last(controller, "2026-05-22T12:02:00Z, in SyncMCC: x")), "MachineConfigOperator OperatorSyncMCD 12:00 open false"},
		"resolved":                      {list(last(operator, "2026-05-22T12:01:00Z, in OperatorSync: timed out: waiting, in all: 5m")), "MachineConfigOperator OperatorSync 12:01 timed out: waiting, in all: 5m true"},
		"two resolved":                  {list(last(operator, "2026-05-22T12:01:00Z, in OperatorSync: x"), last(controller, "2026-05-22T12:02:00Z, in SyncMCC: y")), "MachineConfigController SyncMCC 12:02 y true"},
		"a stuck rollout":               {list(degraded(daemon, "RolloutStuck", "x", 0)), "MachineConfigDaemon Rollout 12:00 x false"},
		"Errored":                       {list(degraded(operator, "ErroredFailed", "x", 0)), "MachineConfigOperator Errored 12:00 x false"},
		"Degraded is Unknown":           {list(metav1.Condition{Type: components.TypeOf(operator, components.Degraded), Status: unknown, Message: last(operator, "2026-05-22T12:01:00Z, in OperatorSync: x").Message}), ""},
		"the last error has no details": {list(last(operator, "")), ""},
		"an invalid time":               {list(last(operator, "soon, in SyncMCC: x")), ""},
		"the last error has no text":    {list(last(operator, "2026-05-22T12:01:00Z, in SyncMCC")), ""},
		"another type":                  {list(metav1.Condition{Type: "Degraded", Status: yes}), ""},
	} {
		for range 2 { // the order of the conditions does not matter
			fault, ok := components.MostRecentError(tc.list)
			got := ""
			if ok {
				got = fmt.Sprint(fault.Component, " ", fault.State, " ", fault.Since.UTC().Format("15:04"), " ", fault.Message, " ", fault.Resolved)
			}
			assert.Equal(t, tc.want, got, name)
			slices.Reverse(tc.list)
		}
	}
}

// Overall and MostRecentError read the conditions of the object MachineConfiguration/cluster.
func ExampleMostRecentError() {
	conditions := []metav1.Condition{{
		Type: "MachineConfigOperatorDegraded", Status: metav1.ConditionTrue, Reason: "OperatorSyncMCDFailed", Message: "timed out", LastTransitionTime: noon,
	}}
	fault, _ := components.MostRecentError(conditions)
	fmt.Printf("%s: %s since %s: %s\n", components.Overall(conditions), fault.State, fault.Since.UTC().Format("15:04"), fault.Message)
	// Output: Unhealthy: OperatorSyncMCD since 12:00: timed out
}
