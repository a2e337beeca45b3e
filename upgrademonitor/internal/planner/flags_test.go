package planner_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// The flags of a report, and a report that is late: the statuses of Updated, UpdatePrepared and Drained, and
// the message of Drained at the end.
func TestFlagsOfAReport(t *testing.T) {
	const no, running, done = metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue
	b := nodeOf("a", "b")
	s := between(t, nodeOf("a", "a"))
	started := after(t, s, report(phases.Updated, no, b))
	drains := after(t, started, with(report(phases.Drained, running, b), func(c *planner.Change) { c.Message = "stuck" }))
	ofFlags := func(p phases.Phase, status metav1.ConditionStatus, n planner.Node, flags planner.Change) planner.Change {
		r := report(p, status, n)
		r.NotRequired, r.SkipIfRunning, r.SkipOtherMode = flags.NotRequired, flags.SkipIfRunning, flags.SkipOtherMode
		r.Time = metav1.NewTime(now.Add(flags.Time.Sub(metav1.Time{}.Time)))
		return r
	}
	notRequired := planner.Change{Report: transitions.Report{NotRequired: true}}
	skipIfRunning, skipOtherMode := planner.Change{SkipIfRunning: true}, planner.Change{SkipOtherMode: true}
	late := planner.Change{Report: transitions.Report{Time: metav1.NewTime(metav1.Time{}.Add(-time.Second))}}
	for name, tc := range map[string]struct {
		state  planner.State
		change planner.Change
		want   string
		string string // of the change
	}{
		"not required, not started":      {started, ofFlags(phases.Drained, done, b, notRequired), "False Unknown False about Drained", "report Drained not required"},
		"not required, running":          {drains, ofFlags(phases.Drained, done, b, notRequired), "False Unknown True about Drained", "report Drained not required"},
		"not required, between updates":  {s, ofFlags(phases.Drained, done, b, notRequired), "True False False about Drained", "report Drained not required"},
		"not required, another target":   {drains, ofFlags(phases.UpdatePrepared, done, nodeOf("a", "c"), notRequired), "False True Unknown stuck", "report UpdatePrepared not required"},
		"skip, running":                  {drains, ofFlags(phases.Drained, running, b, skipIfRunning), "False Unknown Unknown stuck", "report Drained=Unknown"},
		"skip, not started":              {started, ofFlags(phases.Drained, running, b, skipIfRunning), "False Unknown Unknown about Drained", "report Drained=Unknown"},
		"skip, another status":           {drains, ofFlags(phases.Drained, done, b, skipIfRunning), "False Unknown True about Drained", "report Drained=True"},
		"skip, another update starts":    {after(t, drains, report(phases.UpdatePrepared, done, b)), ofFlags(phases.UpdatePrepared, running, nodeOf("a", "c"), skipIfRunning), "False Unknown False Action during update to b: stuck", "report UpdatePrepared=Unknown"},
		"skip the other mode":            {drains, ofFlags(phases.AppliedFiles, running, b, skipOtherMode), "False Unknown Unknown stuck", "report AppliedFiles=Unknown"},
		"skip the other mode, this mode": {drains, ofFlags(phases.Drained, done, b, skipOtherMode), "False Unknown True about Drained", "report Drained=True"},
		"running, not skipped":           {drains, report(phases.Drained, running, b), "False Unknown Unknown about Drained", "report Drained=Unknown"},
		"at the end of the update":       {s, report(phases.Drained, running, b), "False False Unknown about Drained", "report Drained=Unknown"},
		"a second before its end":        {s, ofFlags(phases.Drained, running, b, late), "True False False Action during update to a: about Drained", "report Drained=Unknown"},
		"before, in an update":           {started, ofFlags(phases.Updated, no, b, late), "False Unknown False This node has not yet entered the Drained phase", "report Updated=False"},
	} {
		t.Run(name, func(t *testing.T) {
			next := after(t, tc.state, tc.change).Status.Conditions
			drained := conditions.Find(next, phases.Drained)
			got := string(conditions.StatusOf(next, phases.Updated)+" "+conditions.StatusOf(next, phases.UpdatePrepared)+" "+drained.Status) + " " + drained.Message
			assert.Equal(t, tc.want, got)
			assert.Equal(t, tc.string, tc.change.String())
		})
	}
	_, err := writesOf(report(phases.AppliedFiles, done, b), s)
	require.Error(t, err)
}

// Success of an update is reported only if there was one, or a failure.
func TestSkipIfNeverUpdated(t *testing.T) {
	const no, done = metav1.ConditionFalse, metav1.ConditionTrue
	a := nodeOf("a", "a")
	succeeded := with(report(phases.NodeDegraded, no, a), func(c *planner.Change) { c.SkipIfNeverUpdated = true })
	booted := after(t, between(t, a), report(phases.Resumed, done, a), report(phases.Uncordoned, done, a))
	misspelled := after(t, booted)
	misspelled.Status.Conditions = slices.Clone(misspelled.Status.Conditions)
	for i := range misspelled.Status.Conditions {
		if c := &misspelled.Status.Conditions[i]; c.Reason == "NotYetOccurred" {
			c.Reason = "NotYetOccured"
		}
	}
	started := after(t, booted, report(phases.Updated, no, nodeOf("a", "b")))
	for name, tc := range map[string]struct {
		state planner.State
		skips bool
	}{
		"no object":          {planner.State{}, true},
		"no status":          {planner.State{Generation: 1}.WithSpecOf(a), true},
		"first boot":         {booted, true},
		"of an older daemon": {misspelled, true},
		"in an update":       {started, false},
		"after an update":    {after(t, started, report(phases.Updated, done, nodeOf("b", "b"))), false},
		"after a failure":    {after(t, booted, report(phases.NodeDegraded, done, a)), false},
	} {
		t.Run(name, func(t *testing.T) {
			planned, err := writesOf(succeeded, tc.state)
			require.NoError(t, err)
			degraded := conditions.Find(append([]planner.State{tc.state}, planned.States...)[len(planned.States)].Status.Conditions, phases.NodeDegraded)
			assert.Equal(t, tc.skips, degraded == nil || conditions.IsReservedReason(degraded.Reason))
			all, err := writesOf(report(phases.NodeDegraded, no, a), tc.state)
			require.NoError(t, err)
			assert.Len(t, all.States, 1, "without the flag")
		})
	}
	for provisioned, writes := range map[bool]int{false: 0, true: 1} {
		succeeded.Node = planner.Node{Provisioned: provisioned}
		planned, err := writesOf(succeeded, planner.State{})
		require.NoError(t, err)
		assert.Len(t, planned.States, writes, "provisioned: %t", provisioned)
	}
	w, err := succeeded.Plan(planner.State{}, true)
	require.NoError(t, err)
	assert.Empty(t, w.Next.Status.Conditions, "a controller")
	var core planner.Core
	entry, _ := core.Submit(succeeded, succeeded.Node)
	assert.NotNil(t, entry, "the object may show a failure, so it is read first")
}

// The start of an update writes the spec, and so do its repeats and reports of UpdatePrepared until UpdatePrepared
// is True. The end of an update writes the spec if the Node runs its desired config.
func TestWritesSpec(t *testing.T) {
	const no, running, done = metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue
	b := nodeOf("a", "b")
	s := between(t, nodeOf("a", "a"))
	started := after(t, s, report(phases.Updated, no, b))
	prepared := after(t, started, report(phases.UpdatePrepared, done, b))
	for name, tc := range map[string]struct {
		state  planner.State
		change planner.Change
		want   bool
	}{
		"a start":                          {s, report(phases.Updated, no, b), true},
		"a disruption":                     {s, report(phases.Drained, running, b), true},
		"a repeat of the start":            {started, report(phases.Updated, no, b), true},
		"UpdatePrepared":                   {started, report(phases.UpdatePrepared, running, b), true},
		"a repeat, prepared":               {prepared, report(phases.Updated, no, b), false},
		"UpdatePrepared, prepared":         {prepared, report(phases.UpdatePrepared, done, b), false},
		"UpdatePrepared is not required":   {started, with(report(phases.UpdatePrepared, done, b), func(c *planner.Change) { c.NotRequired = true }), false},
		"UpdatePrepared=False, no update":  {s, report(phases.UpdatePrepared, no, b), false},
		"a step":                           {started, report(phases.Drained, done, b), false},
		"the end":                          {started, report(phases.Updated, done, nodeOf("b", "b")), true},
		"the end, the target is withdrawn": {started, report(phases.Updated, done, nodeOf("a", "a")), true},
		"the end, another one is desired":  {started, report(phases.Updated, done, nodeOf("b", "c")), false},
		"the end, nothing is known":        {started, report(phases.Updated, done, nodeOf("", "")), false},
		"Updated is not required":          {started, with(report(phases.Updated, done, nodeOf("b", "b")), func(c *planner.Change) { c.NotRequired = true }), false},
		"a repeat of the end":              {s, report(phases.Updated, done, nodeOf("a", "a")), false},
	} {
		planned, err := writesOf(tc.change, tc.state)
		require.NoError(t, err)
		assert.Equal(t, tc.want, planned.WritesSpec, name)
	}
}
