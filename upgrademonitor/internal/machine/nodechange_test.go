package machine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/machine"
)

func TestVersionsFollowTheNodeWithoutAReport(t *testing.T) {
	prepare := []machine.Change{
		report(phases.Updated, metav1.ConditionTrue, viewOf("a", "a")),
		report(phases.Updated, metav1.ConditionFalse, viewOf("a", "b")),
		report(phases.UpdatePrepared, metav1.ConditionTrue, viewOf("a", "b")),
	}
	for name, tc := range map[string]struct {
		reports []machine.Change
		node    machine.Node
		want    string // current and desired; "": nothing is written
	}{
		"nothing has changed":                   {prepare, viewOf("a", "b"), ""},
		"in an update":                          {prepare, viewOf("b", "b"), "b b"},
		"in an update, another is desired":      {prepare, viewOf("b", "c"), "b b"},
		"before it is prepared":                 {prepare[:2], viewOf("b", "b"), "b a"},
		"between updates, another is desired":   {prepare[:1], viewOf("a", "b"), ""},
		"between updates, the desired runs":     {prepare[:1], viewOf("b", "b"), "b b"},
		"between updates, a third is desired":   {prepare[:1], viewOf("b", "c"), "b a"},
		"a Node without annotations":            {prepare[:1], viewOf("", ""), ""},
		"the view was out of date at the end":   {append(prepare, report(phases.Updated, metav1.ConditionTrue, viewOf("a", "b"))), viewOf("b", "b"), "b b"},
		"never updated, and a singleton exists": {[]machine.Change{report(phases.NodeDegraded, metav1.ConditionTrue, viewOf("a", "b"))}, viewOf("b", "b"), "b not-yet-set"},
	} {
		t.Run(name, func(t *testing.T) {
			s := after(t, machine.State{Generation: 1}.Sync(viewOf("a", "a")), tc.reports...)
			planned, err := machine.Change{Node: tc.node}.All(s)
			require.NoError(t, err)
			assert.False(t, planned.StartsUpdate)
			if tc.want == "" {
				require.Empty(t, planned.States)
				return
			}
			require.Len(t, planned.States, 1)
			next := planned.States[0].Status
			assert.Equal(t, tc.want, next.ConfigVersion.Current+" "+next.ConfigVersion.Desired)
			assert.Equal(t, s.Status.Conditions, next.Conditions)
			again, err := machine.Change{Node: tc.node}.All(planned.States[0])
			require.NoError(t, err)
			assert.Empty(t, again.States, "a repeat")
		})
	}
}

// An object without a status gets the conditions, too, so that the status is complete. An object that
// does not exist is planned like that, too, so that it is created.
func TestVersionsOfAnObjectWithoutAStatus(t *testing.T) {
	change := machine.Change{Node: viewOf("a", "b")}
	change.Time = metav1.Unix(7, 0)
	planned, err := change.All(machine.State{Generation: 1}.Sync(viewOf("a", "a")))
	require.NoError(t, err)
	require.Len(t, planned.States, 1)
	next := planned.States[0].Status
	assert.Equal(t, "a", next.ConfigVersion.Current)
	assert.Equal(t, conditions.Complete(nil, false, change.Time), next.Conditions)
	planned, err = change.All(machine.State{})
	require.NoError(t, err)
	require.Len(t, planned.States, 1)
	assert.Equal(t, next.Conditions, planned.States[0].Status.Conditions)
}
