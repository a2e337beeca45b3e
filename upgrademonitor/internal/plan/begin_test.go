package plan_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// inUpdate is an update from A to B, up to the reports given.
func inUpdate(t *testing.T, reports ...plan.Intent) plan.State {
	t.Helper()
	started := after(t, upToDate(configA, "", false), report(phases.Updated, no, 10, configA, configB))
	return after(t, started, reports...)
}

func drained() plan.Intent  { return report(phases.Drained, done, 30, configA, configB) }
func prepared() plan.Intent { return report(phases.UpdatePrepared, done, 20, configA, configB) }

func TestBegin(t *testing.T) {
	status := []plan.Kind{plan.ApplyStatus}
	specFirst := []plan.Kind{plan.MergeSpec, plan.ApplyStatus}
	preparing := []string{"UpdatePrepared=Unknown"}
	for name, tc := range map[string]struct {
		state           plan.State
		current, target string
		kinds           []plan.Kind
		moved           []string
	}{
		"first report ever, without a status":      {fresh(configB), configA, configB, status, preparing},
		"first report ever, the spec is not there": {fresh(plan.NotYetSet), configA, configB, specFirst, preparing},
		"first report ever, nothing to update to":  {fresh(configA), configA, configA, status, preparing},
		"first report ever, after other reports": {
			after(t, fresh(configA), report(phases.Resumed, done, 5, configA, configA)), configA, configA, status,
			[]string{"UpdatePrepared=Unknown", "Resumed=False"},
		},
		"between updates":                      {upToDate(configA, "", false), configA, configB, specFirst, []string{"UpdatePrepared=Unknown", "Updated=False"}},
		"between updates, for the same config": {upToDate(configA, "", false), configA, configA, status, []string{"UpdatePrepared=Unknown", "Updated=False"}},
		"between updates, for an unnamed one":  {upToDate(configA, "", false), "", "", status, []string{"UpdatePrepared=Unknown", "Updated=False"}},
		"the same target again":                {inUpdate(t, drained()), configA, configB, nil, nil},
		"the same again, prepared":             {inUpdate(t, prepared(), drained()), configA, configB, nil, nil},
		"the same again, after a restart":      {restarted(inUpdate(t, drained())), configA, configB, nil, nil},
		"the same, prepared, after a restart":  {restarted(inUpdate(t, prepared())), configA, configB, nil, nil},
		"another target, being prepared":       {inUpdate(t, drained()), configA, configC, specFirst, []string{"UpdateExecuted=False", "Drained=False"}},
		"another target, restarted":            {restarted(inUpdate(t, drained())), configA, configC, specFirst, []string{"UpdateExecuted=False", "Drained=False"}},
		"another target, prepared":             {inUpdate(t, prepared(), drained()), configA, configC, append(specFirst, plan.ApplyStatus), []string{"UpdatePrepared=Unknown", "UpdateExecuted=False", "Drained=False"}},
		"another target, prepared, restarted":  {restarted(inUpdate(t, prepared())), configA, configC, append(specFirst, plan.ApplyStatus), preparing},
		"back to what the node runs":           {inUpdate(t, prepared()), configA, configA, append(specFirst, plan.ApplyStatus), preparing},
		"no target any more":                   {inUpdate(t, prepared()), configA, "", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := report(phases.Updated, no, 60, tc.current, tc.target)
			if tc.kinds == nil {
				r.Message = messageOf(tc.state, phases.Updated)
			}
			p := planned(t, tc.state, r, plan.Memo{})
			assert.Equal(t, tc.kinds, kinds(p))
			assert.ElementsMatch(t, tc.moved, moved(tc.state, p.Final))
			assert.Equal(t, tc.kinds != nil, p.Memo.Began)
			if tc.kinds == nil {
				return
			}
			if tc.target != "" {
				assert.Equal(t, tc.target, p.Final.Object.Spec.ConfigVersion.Desired, "the spec follows")
				assert.Equal(t, plan.Target{Config: tc.target}, p.Final.Update.Target)
			}
			assert.Equal(t, running, statusOf(p.Final, phases.UpdatePrepared))
			assert.Equal(t, r.Message, messageOf(p.Final, phases.UpdatePrepared))
		})
	}
}

func TestBeginKeepsTheDesiredVersionOfTheStatus(t *testing.T) {
	s := after(t, upToDate(configA, "", false), report(phases.Updated, no, 10, configA, configB))
	assert.Equal(t, configA, s.Object.Status.ConfigVersion.Desired, "until UpdatePrepared is True")
	s = after(t, s, report(phases.UpdatePrepared, done, 20, configA, configB))
	assert.Equal(t, configB, s.Object.Status.ConfigVersion.Desired)
}

func TestBeginPrefixesWhatRanWithItsUpdate(t *testing.T) {
	s := after(t, inUpdate(t, prepared(), drained()), report(phases.Updated, no, 60, configA, configC))
	assert.Equal(t, "Action during update to "+configB+": about Drained", messageOf(s, phases.Drained))
	s = after(t, s, report(phases.Updated, done, 70, configC, configC))
	assert.Equal(t, "Action during update to "+configB+": about Drained", messageOf(s, phases.Drained), "one prefix")
	assert.Equal(t, "Action during update to "+configC+": about Updated", messageOf(s, phases.UpdatePrepared))
	assert.Equal(t, "This node has not yet entered the RebootedNode phase", messageOf(s, phases.RebootedNode))
}

// The first Updated=False begins one update, not one at each repeat.
func TestFirstBeginIsRepeated(t *testing.T) {
	begin := report(phases.Updated, no, 10, configA, configB)
	s := after(t, fresh(configB), begin, report(phases.Drained, done, 20, configA, configB))
	assert.Empty(t, planned(t, s, begin, plan.Memo{}).Steps)
	assert.Empty(t, planned(t, restarted(s), begin, plan.Memo{}).Steps)
}

func TestPreparedForAnotherTargetBegins(t *testing.T) {
	for name, tc := range map[string]struct {
		state  plan.State
		target string
		status []string
		kinds  int
	}{
		"another target":              {inUpdate(t, prepared(), drained()), configC, []string{"UpdateExecuted=False", "Drained=False"}, 4},
		"another target, restarted":   {restarted(inUpdate(t, prepared(), drained())), configC, []string{"UpdateExecuted=False", "Drained=False"}, 4},
		"the same target":             {inUpdate(t, drained()), configB, []string{"UpdatePrepared=True"}, 1},
		"no target":                   {inUpdate(t, drained()), "", []string{"UpdatePrepared=True"}, 1},
		"another, but never reported": {after(t, fresh(configA), drained()), configC, []string{"UpdatePrepared=True"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, tc.state, report(phases.UpdatePrepared, done, 60, configA, tc.target), plan.Memo{})
			assert.Len(t, p.Steps, tc.kinds)
			assert.ElementsMatch(t, tc.status, moved(tc.state, p.Final))
			assert.Equal(t, tc.target == configC && tc.kinds == 4, p.Memo.Began)
			if p.Memo.Began {
				assert.Equal(t, plan.MergeSpec, p.Steps[0].Kind)
				assert.Equal(t, configC, p.Final.Object.Spec.ConfigVersion.Desired)
				assert.Equal(t, configC, p.Final.Object.Status.ConfigVersion.Desired)
				assert.Equal(t, "Action during update to "+configB+": about Drained", messageOf(p.Final, phases.Drained))
			}
		})
	}
	p := planned(t, inUpdate(t, prepared()), report(phases.UpdatePrepared, done, 60, configA, configB), plan.Memo{})
	assert.Empty(t, kindsOtherThan(p, plan.ApplyStatus), "a repeat begins nothing")
	t.Run("prepared again, interrupted between its writes", func(t *testing.T) {
		s := restarted(after(t, inUpdate(t, prepared(), drained()), plan.Spec{Owner: owner, Node: plan.Node{CurrentConfig: configA, DesiredConfig: configC}}))
		again := report(phases.UpdatePrepared, running, 60, configA, configB)
		p := planned(t, s, again, plan.Memo{})
		assert.Len(t, p.Steps, 2, "False, then Unknown")
		p = planned(t, restarted(p.Steps[0].Next), again, p.Memo)
		assert.Len(t, p.Steps, 1, "of the update that the status names, although it no longer does")
		assert.Equal(t, done, statusOf(p.Final, phases.Drained))
	})
	t.Run("UpdatePrepared=False begins nothing", func(t *testing.T) {
		s := inUpdate(t, prepared())
		p := planned(t, s, report(phases.UpdatePrepared, no, 60, configA, configC), plan.Memo{})
		assert.Equal(t, []string{"UpdatePrepared=False"}, moved(s, p.Final))
		assert.False(t, p.Memo.Began)
	})
}

func kindsOtherThan(p plan.Plan, kind plan.Kind) []plan.Kind {
	var all []plan.Kind
	for _, k := range kinds(p) {
		if k != kind {
			all = append(all, k)
		}
	}
	return all
}

func TestDisruption(t *testing.T) {
	between := upToDate(configA, "", false)
	p := planned(t, between, report(phases.Drained, done, 60, configA, configB), plan.Memo{})
	assert.True(t, p.Memo.Disrupted)
	assert.ElementsMatch(t, []string{"Updated=False", "UpdateExecuted=Unknown", "Drained=True"}, moved(between, p.Final))
	assert.Equal(t, "This node is not updated, sensed disruption via a manual update.", messageOf(p.Final, phases.Updated))
	assert.Equal(t, plan.Target{Config: configB}, p.Final.Update.Target)
	assert.Equal(t, plan.MergeSpec, p.Steps[0].Kind, "the update that it begins is for what the node is to have")
	assert.Equal(t, configB, p.Final.Object.Spec.ConfigVersion.Desired)

	for _, restart := range []phases.Phase{phases.Resumed, phases.UpdateComplete, phases.Uncordoned} {
		p := planned(t, between, report(restart, done, 60, configA, configA), plan.Memo{})
		assert.Empty(t, moved(between, p.Final), restart)
		assert.Len(t, p.Steps, 1, restart)
	}
}

// Others have ended the update that this process remembers: what comes next is an update of its own.
func TestUpdateThatOthersHaveEndedIsForgotten(t *testing.T) {
	between := upToDate(configA, "", false)
	stale := between
	stale.Update = plan.Update{Target: plan.Target{Config: configC}}
	for _, in := range []plan.Intent{
		report(phases.Drained, running, 60, configA, configB), report(phases.Updated, no, 60, configA, configC), report(phases.Resumed, done, 60, configA, configB),
	} {
		assert.Equal(t, planned(t, between, in, plan.Memo{}), planned(t, stale, in, plan.Memo{}), in)
	}
}

// A report that waited while its update ended begins no other one.
func TestExpiredReport(t *testing.T) {
	ended := after(t, inUpdate(t, prepared()), report(phases.Updated, done, 100, configB, configB))
	waited := plan.Memo{InUpdate: true}
	for name, tc := range map[string]struct {
		report plan.Report
		memo   plan.Memo
		begins bool
	}{
		"a step of the update":                {report(phases.Drained, done, 50, configA, configB), waited, false},
		"a repeat of its begin":               {report(phases.Updated, no, 50, configA, configB), waited, false},
		"at the second of the end":            {report(phases.Drained, done, 100, configA, configB), waited, false},
		"accepted after the end":              {report(phases.Drained, done, 101, configB, configB), waited, true},
		"accepted between updates":            {report(phases.Drained, done, 50, configA, configB), plan.Memo{}, true},
		"the begin of another update":         {report(phases.Updated, no, 50, configB, configC), waited, true},
		"a begin that was planned as one":     {report(phases.Updated, no, 50, configA, configB), plan.Memo{InUpdate: true, Began: true}, true},
		"a begin that was accepted after it":  {report(phases.Updated, no, 101, configB, configB), waited, true},
		"a step that runs, not done":          {report(phases.Drained, running, 50, configA, configB), waited, false},
		"a preparation":                       {report(phases.UpdatePrepared, running, 50, configA, configB), waited, false},
		"a singleton, which is of no update":  {report(phases.NodeDegraded, done, 50, configA, configB), waited, false},
		"the end of the update, for a second": {report(phases.Updated, done, 50, configB, configB), waited, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, ended, tc.report, tc.memo)
			assert.Equal(t, tc.begins, !p.Final.IsTrue(phases.Updated))
			if !tc.begins && tc.report.Phase != phases.NodeDegraded {
				assert.Empty(t, moved(ended, p.Final))
			}
		})
	}
}

// A begin whose answer was lost has started: it is kept, and nothing is reset twice.
func TestBeginWithoutAnAnswer(t *testing.T) {
	for name, s := range map[string]plan.State{
		"first report ever":        fresh(plan.NotYetSet),
		"between updates":          upToDate(configA, "", false),
		"another target":           inUpdate(t, drained()),
		"another target, prepared": inUpdate(t, prepared(), drained()),
	} {
		t.Run(name, func(t *testing.T) {
			begin := report(phases.Updated, no, 60, configA, configC)
			p := planned(t, s, begin, plan.Memo{})
			lost := p.Final
			lost.Update = s.Update
			again := planned(t, lost, begin, p.Memo)
			assert.Empty(t, again.Steps)
			assert.Equal(t, p.Final.Update, again.Final.Update, "it is kept")
			assert.Equal(t, p.Memo, again.Memo)
		})
	}
}

// The daemon was killed between the write of the spec and that of the status.
func TestBeginAfterARestartWithItsSpecWritten(t *testing.T) {
	for name, s := range map[string]plan.State{
		"first report ever":        fresh(plan.NotYetSet),
		"between updates":          upToDate(configA, "", false),
		"another target, prepared": inUpdate(t, prepared(), drained()),
	} {
		t.Run(name, func(t *testing.T) {
			begin := report(phases.Updated, no, 60, configA, configC)
			p := planned(t, s, begin, plan.Memo{})
			assert.Equal(t, plan.MergeSpec, p.Steps[0].Kind)
			again := planned(t, restarted(p.Steps[0].Next), begin, plan.Memo{})
			assert.Equal(t, kinds(p)[1:], kinds(again))
			assert.Equal(t, p.Final.Object, again.Final.Object)
		})
	}
}

func TestReportsOfAnUpdateEndToEnd(t *testing.T) {
	s := upToDate(configA, "", false)
	for i, step := range []struct {
		p       phases.Phase
		status  metav1.ConditionStatus
		current string
		steps   int
	}{
		{phases.Updated, no, configA, 2},
		{phases.UpdatePrepared, done, configA, 1},
		{phases.Cordoned, running, configA, 1},
		{phases.Cordoned, done, configA, 1},
		{phases.Drained, done, configA, 2},
		{phases.AppliedFilesAndOS, running, configA, 1},
		{phases.AppliedFilesAndOS, done, configA, 1},
		{phases.UpdatePostActionComplete, done, configA, 2},
		{phases.RebootedNode, running, configA, 1},
		{phases.RebootedNode, done, configA, 1},
		{phases.Resumed, done, configB, 2},
		{phases.UpdateComplete, running, configB, 1},
		{phases.Uncordoned, done, configB, 2},
		{phases.Updated, done, configB, 1},
	} {
		p := planned(t, s, report(step.p, step.status, 10*i, step.current, configB), plan.Memo{})
		assert.Len(t, p.Steps, step.steps, "%s=%s", step.p, step.status)
		s = p.Final
	}
	want := mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: configB, Desired: configB}
	assert.Equal(t, want, *s.Object.Status.ConfigVersion)
	assert.Equal(t, plan.Update{}, s.Update)
}
