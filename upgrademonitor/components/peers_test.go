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
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/mcntest"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

var noon = metav1.NewTime(time.Date(2026, 5, 22, 12, 0, 0, 0, time.UTC))

// mcn returns the object of a node that is not in an update.
func mcn(name string, change ...func(*mcfgv1.MachineConfigNode)) *mcfgv1.MachineConfigNode {
	m := mcntest.Object(append([]func(*mcfgv1.MachineConfigNode){mcntest.Is(phases.Updated, yes, 1)}, change...)...)
	m.Name = name
	return m
}

var degraded = mcntest.Is(phases.NodeDegraded, yes, 2)

func updating(m *mcfgv1.MachineConfigNode) {
	mcntest.Desires(mcntest.ConfigB)(m)
	mcntest.Is(phases.Updated, no, 3)(m)
	mcntest.Is(phases.UpdatePrepared, yes, 4)(m)
}

// nodes returns the objects of six nodes. As n grows, one node after the other is in an update, and then none.
func nodes(n int) []*mcfgv1.MachineConfigNode {
	var list []*mcfgv1.MachineConfigNode
	for i := range 6 {
		m := mcn(fmt.Sprint("worker-", i))
		if n%20 == i+1 {
			updating(m)
		}
		list = append(list, m)
	}
	return list
}

// daemonSet returns the DaemonSet of the daemons on six nodes. All daemons run and are up to date.
func daemonSet(change ...func(*appsv1.DaemonSetStatus)) *appsv1.DaemonSet {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "machine-config-daemon", Generation: 3}}
	ds.Status = appsv1.DaemonSetStatus{ObservedGeneration: 3, DesiredNumberScheduled: 6, UpdatedNumberScheduled: 6}
	for _, c := range change {
		c(&ds.Status)
	}
	return ds
}

// missing makes daemons unavailable on n nodes.
func missing(n int32) func(*appsv1.DaemonSetStatus) {
	return func(s *appsv1.DaemonSetStatus) { s.NumberUnavailable = n }
}

// A daemon may be missing on a node that is in an update: the daemons are still available.
func TestTheConditionsOfTheDaemonsFollowDaemonSetAndNodes(t *testing.T) {
	notUpdated := mcntest.Is(phases.Updated, no, 2) // Updated is False, but no step of an update has started
	isNew := func(m *mcfgv1.MachineConfigNode) {
		m.Status.ConfigVersion, m.Status.Conditions = nil, transitions.Complete(nil, false, noon)
	}
	list := func(change ...func(*mcfgv1.MachineConfigNode)) []*mcfgv1.MachineConfigNode {
		all := []*mcfgv1.MachineConfigNode{mcn("a"), nil}
		for _, c := range change {
			all = append(all, mcn("c", c))
		}
		return all
	}
	for name, tc := range map[string]struct {
		ds   *appsv1.DaemonSet
		mcns []*mcfgv1.MachineConfigNode
		want string // the status and reason of Degraded, Available and Progressing
	}{
		"healthy":                                      {daemonSet(), list(), "False AsExpected, True AsExpected, False AsExpected"},
		"no data":                                      {nil, nil, "Unknown NoData, Unknown NoData"},
		"no DaemonSet":                                 {nil, list(), "False AsExpected, Unknown NoData"},
		"the DaemonSet was never observed":             {daemonSet(func(s *appsv1.DaemonSetStatus) { *s = appsv1.DaemonSetStatus{} }), list(), "False AsExpected, Unknown NoData, True RollingOut"},
		"no observedGeneration":                        {daemonSet(func(s *appsv1.DaemonSetStatus) { s.ObservedGeneration = 0 }), list(), "False AsExpected, True AsExpected, True RollingOut"},
		"the DaemonSet selects no node":                {daemonSet(func(s *appsv1.DaemonSetStatus) { s.DesiredNumberScheduled = 0 }), list(), "False AsExpected, True AsExpected, False AsExpected"},
		"no objects":                                   {daemonSet(), nil, "Unknown NoData, True AsExpected, False AsExpected"},
		"one degraded":                                 {daemonSet(), list(degraded), "True SyncMCDFailed, True AsExpected, False AsExpected"},
		"one missing":                                  {daemonSet(missing(1)), list(), "False AsExpected, False DaemonSetUnavailable, False AsExpected"},
		"one missing, one in update":                   {daemonSet(missing(1)), list(updating), "False AsExpected, True AsExpected, False AsExpected"},
		"two missing, one in update":                   {daemonSet(missing(2)), list(updating), "False AsExpected, False DaemonSetUnavailable, False AsExpected"},
		"one missing, one node is new":                 {daemonSet(missing(1)), list(isNew), "False AsExpected, False DaemonSetUnavailable, False AsExpected"},
		"one missing, Updated=False":                   {daemonSet(missing(1)), list(notUpdated), "False AsExpected, False DaemonSetUnavailable, False AsExpected"},
		"one missing, on a degraded node in an update": {daemonSet(missing(1)), list(func(m *mcfgv1.MachineConfigNode) { updating(m); degraded(m) }), "True SyncMCDFailed, True AsExpected, False AsExpected"},
		"being rolled out":                             {daemonSet(func(s *appsv1.DaemonSetStatus) { s.UpdatedNumberScheduled = 5 }), list(), "False AsExpected, True AsExpected, True RollingOut"},
		"the last change of the DaemonSet was not observed": {daemonSet(func(s *appsv1.DaemonSetStatus) { s.ObservedGeneration = 2 }), list(), "False AsExpected, True AsExpected, True RollingOut"},
	} {
		var got []string
		for i, c := range components.Daemons(tc.ds, tc.mcns, noon.Add(time.Millisecond)) {
			aspect := []components.Aspect{components.Degraded, components.Available, components.Progressing}[i]
			assert.Equal(t, components.TypeOf(components.Daemon, aspect), c.Type, name)
			assert.Equal(t, noon, c.LastTransitionTime, name)
			got = append(got, string(c.Status)+" "+c.Reason)
		}
		assert.Equal(t, tc.want, strings.Join(got, ", "), name)
	}
}

// The messages list the first ten nodes in alphabetical order.
func TestMessagesOfTheDaemonsNameTenNodes(t *testing.T) {
	mcns := nodes(0)
	for _, i := range rand.Perm(5000) {
		mcns = append(mcns, mcn(fmt.Sprintf("worker-%04d", i), degraded))
	}
	ds := daemonSet(missing(1), func(s *appsv1.DaemonSetStatus) { s.UpdatedNumberScheduled = 5 })
	got := components.Daemons(ds, mcns, noon.Time)
	want := "Degraded nodes (5000): worker-0000, worker-0001, worker-0002, worker-0003, worker-0004, worker-0005, worker-0006, worker-0007, worker-0008, worker-0009. See oc get machineconfignodes"
	assert.Equal(t, want, got[0].Message)
	assert.Equal(t, "Daemons are missing on nodes that are not in an update: see the pods of DaemonSet machine-config-daemon", got[1].Message)
	assert.Equal(t, "DaemonSet machine-config-daemon is being rolled out", got[2].Message)
}

// deployment returns the Deployment of the controller with a condition.
func deployment(name appsv1.DeploymentConditionType, status corev1.ConditionStatus) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "machine-config-controller"}}
	d.Status.Conditions = []appsv1.DeploymentCondition{{Type: "Other", Status: "True"}, {Type: name, Status: status, Message: "0 of 1"}}
	return d
}

func TestAProcessIsAvailableIfItsDeploymentIsAvailable(t *testing.T) {
	const noData = "Unknown NoData The status of the Deployment is not known"
	for _, tc := range []struct {
		d    *appsv1.Deployment
		want string
	}{
		{nil, noData},
		{&appsv1.Deployment{}, noData},
		{deployment(appsv1.DeploymentAvailable, "Unknown"), noData},
		{deployment(appsv1.DeploymentProgressing, "True"), noData},
		{deployment(appsv1.DeploymentAvailable, "True"), "True AsExpected "},
		{deployment(appsv1.DeploymentAvailable, "False"), "False DeploymentUnavailable Deployment machine-config-controller is not available: 0 of 1"},
	} {
		for _, component := range []components.Component{components.Operator, components.Controller} {
			c := components.Deployment(component, tc.d, noon.Time)[0]
			assert.Equal(t, components.TypeOf(component, components.Available), c.Type)
			assert.Equal(t, tc.want, fmt.Sprint(c.Status, " ", c.Reason, " ", c.Message))
			assert.Equal(t, noon, c.LastTransitionTime)
		}
	}
}
