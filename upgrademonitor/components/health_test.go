package components_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestHealthOf combines each Available with each Degraded; "" is a missing condition.
func TestHealthOf(t *testing.T) {
	for _, c := range []components.Component{components.Operator, components.Controller, components.Daemon} {
		for _, tc := range []struct {
			available, degraded metav1.ConditionStatus
			want                components.Health
		}{
			{yes, no, components.Healthy},
			{yes, yes, components.Unhealthy},
			{no, no, components.Unhealthy},
			{no, yes, components.Unhealthy},
			{yes, unknown, components.Unknown},
			{no, unknown, components.Unknown},
			{unknown, yes, components.Unhealthy},
			{unknown, no, components.Unknown},
			{unknown, unknown, components.Unknown},
			{yes, "", components.Unknown},
			{"", no, components.Unknown},
			{"", yes, components.Unhealthy},
			{"", "", components.Unknown},
			{"Perhaps", no, components.Unknown},
		} {
			assert.Equal(t, tc.want, components.HealthOf(statuses(c, tc.available, tc.degraded), c), "%s: %q and %q", c, tc.available, tc.degraded)
		}
	}
	assert.Equal(t, components.Unknown, components.HealthOf(nil, components.Bootstrap))
	assert.Equal(t, components.Unknown, components.HealthOf([]metav1.Condition{{Status: yes}}, "MachineConfigServer"))
}

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

// TestOverall combines the health of three components, in any order of the conditions.
func TestOverall(t *testing.T) {
	healths := map[components.Health][]metav1.ConditionStatus{
		components.Healthy: {yes, no}, components.Unhealthy: {yes, yes}, components.Unknown: {unknown, no},
	}
	for operator, o := range healths {
		for controller, c := range healths {
			for daemon, d := range healths {
				want := components.Healthy
				for _, h := range []components.Health{operator, controller, daemon} {
					if h == components.Unhealthy || h == components.Unknown && want == components.Healthy {
						want = h
					}
				}
				list := slices.Concat(statuses(components.Operator, o[0], o[1]), statuses(components.Controller, c[0], c[1]), statuses(components.Daemon, d[0], d[1]))
				assert.Equal(t, want, components.Overall(list))
				slices.Reverse(list)
				assert.Equal(t, want, components.Overall(list))
			}
		}
	}
	assert.Equal(t, components.Unknown, components.Overall(nil))
}

func later(d time.Duration) metav1.Time { return metav1.NewTime(noon.Add(d)) }

func TestMostRecentError(t *testing.T) {
	degraded := func(c components.Component, status metav1.ConditionStatus, reason, message string, since metav1.Time) metav1.Condition {
		return metav1.Condition{Type: components.TypeOf(c, components.Degraded), Status: status, Reason: reason, Message: message, LastTransitionTime: since}
	}
	const resolved = "Last error, resolved 2026-05-22T12:01:00Z, in OperatorSyncMCD: timed out: waiting, in vain: 5m"
	for name, tc := range map[string]struct {
		list []metav1.Condition
		want components.Fault
		none bool
	}{
		"no conditions": {none: true},
		"healthy":       {list: []metav1.Condition{degraded(components.Operator, no, "AsExpected", "", noon)}, none: true},
		"one": {
			list: []metav1.Condition{degraded(components.Operator, yes, "OperatorSyncMCDFailed", "timed out", noon)},
			want: components.Fault{Component: components.Operator, State: components.OperatorSyncMCD, Message: "timed out", Since: noon},
		},
		"the newest": {
			list: []metav1.Condition{
				degraded(components.Operator, yes, "OperatorSyncMCDFailed", "old", noon),
				degraded(components.Controller, yes, "SyncMCCMachineConfigPoolFailed", "new", later(time.Minute)),
				degraded(components.Daemon, yes, "SyncMCDFailed", "older", later(-time.Minute)),
			},
			want: components.Fault{Component: components.Controller, State: components.MCCSyncMachineConfigPool, Message: "new", Since: later(time.Minute)},
		},
		"unresolved before a newer resolved one": {
			list: []metav1.Condition{
				degraded(components.Operator, no, "AsExpected", resolved, later(time.Hour)),
				degraded(components.Daemon, yes, "SyncMCDFailed", "disk full", noon),
			},
			want: components.Fault{Component: components.Daemon, State: "SyncMCD", Message: "disk full", Since: noon},
		},
		"resolved": {
			list: []metav1.Condition{degraded(components.Operator, no, "AsExpected", resolved, later(time.Hour))},
			want: components.Fault{Component: components.Operator, State: components.OperatorSyncMCD, Message: "timed out: waiting, in vain: 5m", Since: later(time.Minute), Resolved: true},
		},
		"the last resolved": {
			list: []metav1.Condition{
				degraded(components.Operator, no, "AsExpected", resolved, noon),
				degraded(components.Controller, no, "AsExpected", strings.Replace(resolved, "12:01", "12:02", 1), noon),
			},
			want: components.Fault{Component: components.Controller, State: components.OperatorSyncMCD, Message: "timed out: waiting, in vain: 5m", Since: later(2 * time.Minute), Resolved: true},
		},
		"a reason of no state": {
			list: []metav1.Condition{degraded(components.Operator, yes, "Whatever", "x", noon)},
			want: components.Fault{Component: components.Operator, State: components.Errored, Message: "x", Since: noon},
		},
		"Errored": {
			list: []metav1.Condition{degraded(components.Operator, yes, "ErroredFailed", "x", noon)},
			want: components.Fault{Component: components.Operator, State: components.Errored, Message: "x", Since: noon},
		},
		"Unknown is no error": {list: []metav1.Condition{degraded(components.Operator, unknown, "Starting", "x", noon)}, none: true},
		"the mark alone":      {list: []metav1.Condition{degraded(components.Operator, no, "AsExpected", "Last error, resolved ", noon)}, none: true},
		"no time":             {list: []metav1.Condition{degraded(components.Operator, no, "AsExpected", "Last error, resolved soon, in SyncMCC: x", noon)}, none: true},
		"stuck": {
			list: []metav1.Condition{degraded(components.Operator, yes, "OperatorSyncMCDStuck", "running since noon", noon)},
			want: components.Fault{Component: components.Operator, State: components.OperatorSyncMCD, Message: "running since noon", Since: noon},
		},
		"no text":                      {list: []metav1.Condition{degraded(components.Operator, no, "AsExpected", "Last error, resolved 2026-05-22T12:01:00Z, in SyncMCC", noon)}, none: true},
		"a resolved one among no ones": {list: []metav1.Condition{{Type: "Degraded", Status: yes}}, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				got, ok := components.MostRecentError(tc.list)
				assert.Equal(t, !tc.none, ok)
				got.Since = metav1.NewTime(got.Since.UTC())
				if tc.none {
					got.Since = metav1.Time{}
				}
				assert.Equal(t, tc.want, got)
				slices.Reverse(tc.list)
			}
		})
	}
}
