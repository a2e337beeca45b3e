package components_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func mcn(name string, updated metav1.ConditionStatus, degraded string) *mcfgv1.MachineConfigNode {
	m := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: name}}
	m.Status.Conditions = []metav1.Condition{{Type: string(mcfgv1.MachineConfigNodeUpdated), Status: updated}}
	if degraded != "" {
		m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{Type: string(mcfgv1.MachineConfigNodeNodeDegraded), Status: yes, Message: degraded})
	}
	return m
}

// daemonSet runs on six nodes.
func daemonSet(change ...func(*appsv1.DaemonSet)) *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "machine-config-daemon", Generation: 3}}
	ds.Status = appsv1.DaemonSetStatus{ObservedGeneration: 3, DesiredNumberScheduled: 6, UpdatedNumberScheduled: 6, NumberAvailable: 6}
	for _, c := range change {
		c(ds)
	}
	return ds
}

func unavailable(n int32) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) { ds.Status.NumberUnavailable = n }
}

func TestDaemons(t *testing.T) {
	healthy := []*mcfgv1.MachineConfigNode{mcn("a", yes, ""), mcn("b", yes, "")}
	for name, tc := range map[string]struct {
		ds   *appsv1.DaemonSet
		mcns []*mcfgv1.MachineConfigNode
		want []string // status and reason of Degraded, Available, Progressing
	}{
		"healthy":                     {daemonSet(), healthy, []string{"False AsExpected", "True AsExpected", "False AsExpected"}},
		"nothing":                     {nil, nil, []string{"Unknown NoData", "Unknown NoData"}},
		"no DaemonSet":                {nil, healthy, []string{"False AsExpected", "Unknown NoData"}},
		"a DaemonSet not observed":    {daemonSet(func(ds *appsv1.DaemonSet) { ds.Status = appsv1.DaemonSetStatus{} }), healthy, []string{"False AsExpected", "Unknown NoData", "True RollingOut"}},
		"a status without generation": {daemonSet(func(ds *appsv1.DaemonSet) { ds.Generation, ds.Status.ObservedGeneration = 0, 0 }), healthy, []string{"False AsExpected", "True AsExpected", "False AsExpected"}},
		"no objects":                  {daemonSet(), nil, []string{"Unknown NoData", "True AsExpected", "False AsExpected"}},
		"one degraded":                {daemonSet(), append(healthy, mcn("c", no, "disk full")), []string{"True SyncMCDFailed", "True AsExpected", "False AsExpected"}},
		"one unavailable":             {daemonSet(unavailable(1)), healthy, []string{"False AsExpected", "False DaemonSetUnavailable", "False AsExpected"}},
		"one unavailable, one reboot": {daemonSet(unavailable(1)), append(healthy, mcn("c", no, "")), []string{"False AsExpected", "True AsExpected", "False AsExpected"}},
		"two unavailable, one reboot": {daemonSet(unavailable(2)), append(healthy, mcn("c", no, "")), []string{"False AsExpected", "False DaemonSetUnavailable", "False AsExpected"}},
		"being rolled out":            {daemonSet(func(ds *appsv1.DaemonSet) { ds.Status.UpdatedNumberScheduled = 5 }), healthy, []string{"False AsExpected", "True AsExpected", "True RollingOut"}},
		"rollout pending":             {daemonSet(func(ds *appsv1.DaemonSet) { ds.Generation = 4 }), healthy, []string{"False AsExpected", "True AsExpected", "True RollingOut"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for i, c := range components.Daemons(tc.ds, tc.mcns, noon.Time) {
				aspect := []components.Aspect{components.Degraded, components.Available, components.Progressing}[i]
				assert.Equal(t, components.TypeOf(components.Daemon, aspect), c.Type)
				assert.Equal(t, noon, c.LastTransitionTime)
				got = append(got, string(c.Status)+" "+c.Reason)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

// TestDaemonsDoNotGrow names ten nodes, sorted, whatever their number and their messages.
func TestDaemonsDoNotGrow(t *testing.T) {
	t.Parallel()
	var mcns []*mcfgv1.MachineConfigNode
	for i := range 5000 {
		mcns = append(mcns, mcn(fmt.Sprintf("worker-%04d", i), no, "\x1b[31m\n"+strings.Repeat("<disk full>\n", 100)))
	}
	want := components.Daemons(daemonSet(), mcns, noon.Time)
	message := want[0].Message
	assert.True(t, strings.HasPrefix(message, "Degraded nodes (5000): worker-0000: [31m <"), message)
	assert.NotContains(t, message, "worker-0010")
	assert.LessOrEqual(t, len(message), 512)
	assert.NotContains(t, message, "\n")
	for range 5 {
		rand.Shuffle(len(mcns), func(i, j int) { mcns[i], mcns[j] = mcns[j], mcns[i] })
		assert.Equal(t, want, components.Daemons(daemonSet(), mcns, noon.Add(time.Millisecond)), "in any order")
	}
}
