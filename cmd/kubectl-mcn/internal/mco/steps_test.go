package mco_test

import (
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/mcntest"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	yes     = metav1.ConditionTrue

	configA = mcntest.ConfigA
	configB = mcntest.ConfigB

	annotation = nodemeta.Prefix
)

var (
	start       = mcntest.At(0)
	at          = mcntest.At
	mcn         = mcntest.Object
	is          = mcntest.Is
	withDesired = mcntest.Desires
	newNode     = mcntest.Node
	managed     = mcntest.Managed
	entry       = mcntest.Entry
)

func target(config string) progress.Target { return progress.Target{Config: config} }

func marks(n mco.Node) string {
	glyphs := map[mco.StepState]string{mco.ToDo: ".", mco.Running: ">", mco.Finished: "#", mco.Skipped: "-"}
	var b strings.Builder
	for _, s := range n.Steps {
		b.WriteString(glyphs[s.State])
	}
	return b.String()
}

// A step lasts from the end of the step before it. Each case has the steps, their durations, and the end of the last
// step in UTC.
func TestAStepLastsFromTheEndOfTheStepBefore(t *testing.T) {
	began := is(phases.Updated, no, 10)
	for name, tc := range map[string]struct {
		object *mcfgv1.MachineConfigNode
		marks  string
		took   map[phases.Phase]float64 // minutes
		since  float64
	}{
		"another update was replaced before it was complete": {
			mcn(withDesired(configB), began, managed(entry(`{"f:spec":{}}`, at(30))), is(phases.UpdatePrepared, yes, 32), is(phases.Cordoned, yes, 33)), "##.....",
			map[phases.Phase]float64{phases.UpdatePrepared: 2, phases.Cordoned: 1}, 33,
		},
		"the request has changed after the preparation": {
			mcn(withDesired(configB), began, managed(entry(`{"f:spec":{}}`, at(30))), is(phases.UpdatePrepared, yes, 11)), "#......",
			map[phases.Phase]float64{phases.UpdatePrepared: 1}, 11,
		},
		"a retry": {
			mcn(withDesired(configB), began, is(phases.UpdatePrepared, running, 40), is(phases.Cordoned, yes, 12), is(phases.Drained, yes, 13)), ">##....",
			map[phases.Phase]float64{phases.Cordoned: 2, phases.Drained: 1}, 40,
		},
		"the steps ended in another order": {
			mcn(withDesired(configB), began, is(phases.Resumed, yes, 15), is(phases.Uncordoned, yes, 14), is(phases.RebootedNode, yes, 13)), "----###",
			map[phases.Phase]float64{phases.RebootedNode: 3, phases.Uncordoned: 1, phases.Resumed: 1}, 15,
		},
		"a step ended before the start": { // the clocks of two processes differ
			mcn(withDesired(configB), began, is(phases.UpdatePrepared, yes, 11), is(phases.Cordoned, yes, 9), is(phases.Drained, yes, 13)), "###....",
			map[phases.Phase]float64{phases.UpdatePrepared: 1, phases.Drained: 2}, 13,
		},
		"a step ran in an earlier update": {
			mcn(withDesired(configB), began, is(phases.Drained, no, 0, "Action during update to a: Error: Draining: no quorum")), ".......", nil, 10,
		},
		"the start is not known": {
			mcn(withDesired(configB), is(phases.UpdatePrepared, yes, 11), is(phases.Cordoned, yes, 13)), "##.....",
			map[phases.Phase]float64{phases.Cordoned: 2}, 13,
		},
		"a post action, and then a reboot": {
			mcn(withDesired(configB), began, is(phases.UpdatePostActionComplete, yes, 12), is(phases.RebootedNode, running, 13)), "---->..", nil, 13,
		},
		"another update began before the first step of this update": {
			mcn(withDesired(configB), began, is(phases.Resumed, no, 30, "Action during update to b: resumed")), ".......", nil, 30,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range tc.object.Status.Conditions {
				c := &tc.object.Status.Conditions[i]
				c.LastTransitionTime = metav1.NewTime(c.LastTransitionTime.In(time.FixedZone("", 3600)))
			}
			n := mco.Of(nil, tc.object)
			checkNode(t, n)
			assert.Equal(t, tc.marks, marks(n))
			took := map[phases.Phase]float64{}
			for _, s := range n.Steps {
				if s.Duration != 0 {
					took[s.Phase] = s.Duration.Minutes()
				}
			}
			if tc.took == nil {
				tc.took = map[phases.Phase]float64{}
			}
			assert.Equal(t, tc.took, took)
			assert.Equal(t, at(tc.since), n.Since)
		})
	}
}

func TestARestartDoesNotEndAnUpdate(t *testing.T) {
	ran := "Action during update to " + configA + ": done"
	ended := []func(*mcfgv1.MachineConfigNode){
		is(phases.UpdatePrepared, no, 20, ran), is(phases.RebootedNode, no, 20, ran),
		is(phases.Drained, no, 3, "Action during update to an earlier one: done"),
	}
	n := mco.Of(nil, mcn(append(ended, is(phases.Updated, yes, 20))...))
	assert.Equal(t, at(20), n.Completed)
	assert.Equal(t, at(20), n.Since)

	for _, p := range []phases.Phase{phases.Resumed, phases.UpdateComplete, phases.Uncordoned} {
		n = mco.Of(nil, mcn(append(ended, is(phases.Updated, yes, 90), is(p, no, 90, ran))...))
		assert.Equal(t, at(20), n.Completed, "a restart of the daemon reports %s again, and does not end an update", p)
	}

	n = mco.Of(nil, mcn(append(ended, is(phases.Updated, yes, 10))...))
	assert.Equal(t, at(10), n.Completed)
}

func TestTheNewestWriteOfTheSpecIsTheRequest(t *testing.T) {
	spec := `{"f:spec":{"f:configVersion":{"f:desired":{}}}}`
	status := entry(`{"f:status":{"f:conditions":{}}}`, at(9))
	status.Subresource = "status"
	foreign := entry(spec, at(9))
	foreign.Subresource = "status"
	timeless := entry(spec, at(9))
	timeless.Time = nil
	fieldless := entry(spec, at(9))
	fieldless.FieldsV1 = nil
	created := func(m *mcfgv1.MachineConfigNode) { m.Generation = 1 }
	once := is(phases.Drained, no, 1, "Action during update to an earlier one: done") // the node was updated before
	joined := []func(*mcfgv1.MachineConfigNode){managed(entry(spec, at(3))), is(phases.Updated, yes, 1), is(phases.Resumed, no, 1, "Action during update to a: done")}

	for name, tc := range map[string]struct {
		object *mcfgv1.MachineConfigNode
		want   time.Time
	}{
		"no entries":                          {mcn(), time.Time{}},
		"the newest":                          {mcn(once, managed(entry(spec, at(3)), entry(spec, at(7)), entry(spec, at(5)))), at(7)},
		"status":                              {mcn(once, managed(entry(spec, at(3)), status, foreign)), at(3)},
		"no time, no fields":                  {mcn(once, managed(timeless, fieldless)), time.Time{}},
		"never changed":                       {mcn(once, managed(entry(spec, at(3))), created), time.Time{}},
		"joined, and an update was requested": {mcn(append(joined, withDesired(configB))...), at(3)},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, mco.Of(nil, tc.object).Requested)
		})
	}
	n := mco.Of(nil, mcn(withDesired(configB), managed(entry(spec, at(3))), is(phases.Updated, yes, 2)))
	assert.Equal(t, at(3), n.Since)
}

func TestOnlyTheRunningStepHasAMessage(t *testing.T) {
	began := is(phases.Updated, no, 10)
	for name, tc := range map[string]struct {
		object *mcfgv1.MachineConfigNode
		want   string
	}{
		"the message of the running step":               {mcn(began, withDesired(configB), is(phases.UpdateExecuted, running, 11, "executing"), is(phases.Drained, running, 11, "draining")), "draining"},
		"no longer degraded":                            {mcn(began, withDesired(configB), is(phases.Drained, running, 11, "draining"), is(phases.NodeDegraded, no, 12, "Error: disk full")), "draining"},
		"the parent has the message of an earlier step": {mcn(began, withDesired(configB), is(phases.UpdateExecuted, running, 11, "draining"), is(phases.Drained, yes, 12, "drained")), ""},
		"a parent that has finished":                    {mcn(began, withDesired(configB), is(phases.UpdateExecuted, yes, 11, "Error: executing: x")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, mco.Of(nil, tc.object).Message)
		})
	}
}

// An object may have the conditions of both modes, which earlier daemons have written. In image mode, AppliedFiles,
// AppliedOSImage and ImagePulledFromRegistry run in any order, and count as skipped only when their parent is complete.
func TestObjectsMayHaveConditionsOfBothModes(t *testing.T) {
	add := func(p phases.Phase, status metav1.ConditionStatus, reason string) func(*mcfgv1.MachineConfigNode) {
		return func(m *mcfgv1.MachineConfigNode) {
			c := *conditions.Find(transitions.Complete(nil, phasetable.ExistsIn(p, true), metav1.NewTime(start)), p)
			c.Status, c.Reason = status, reason
			m.Status.Conditions = append(m.Status.Conditions, c)
		}
	}
	type changes = []func(*mcfgv1.MachineConfigNode)
	imageMode := func(m *mcfgv1.MachineConfigNode) {
		m.Status.Conditions = transitions.Complete(m.Status.Conditions, true, metav1.NewTime(start))
	}
	image := func(list ...func(*mcfgv1.MachineConfigNode)) changes { return append(changes{imageMode}, list...) }
	prepared := func(drain string) func(*mcfgv1.MachineConfigNode) {
		return is(phases.UpdatePrepared, yes, 11, "Update Compatible. Post Cfg Actions: [] "+drain)
	}
	pulled, applied := is(phases.ImagePulledFromRegistry, yes, 13), is(phases.AppliedOSImage, yes, 14)
	for name, tc := range map[string]struct {
		changes changes
		marks   string
		step    phases.Phase
	}{
		"standard": {nil, ".......", phases.UpdatePrepared},
		"conditions of both modes, AppliedFiles runs": {changes{add(phases.AppliedFiles, running, "x")}, "--->.....", phases.AppliedFiles},
		"without a drain": {
			changes{prepared("Drain Required: false"), is(phases.AppliedFilesAndOS, yes, 12)}, "#--#...", phases.UpdatePostActionComplete,
		},
		"the last update was without a drain": {
			changes{is(phases.UpdatePrepared, no, 0, "Action during update to a: Drain Required: false"), is(phases.AppliedFilesAndOS, yes, 12)},
			"---#...", phases.RebootedNode,
		},
		"two children are running":               {image(is(phases.AppliedFiles, running, 11), is(phases.ImagePulledFromRegistry, running, 11)), "--->.>...", phases.ImagePulledFromRegistry},
		"pulled, and the files are not required": {image(pulled, is(phases.AppliedFiles, no, 14)), "----.#...", phases.AppliedOSImage},
		"the parent is complete":                 {image(applied, is(phases.UpdateExecuted, yes, 14)), "----#-...", phases.RebootedNode},
	} {
		t.Run(name, func(t *testing.T) {
			n := mco.Of(nil, mcn(append(changes{withDesired(configB)}, append(tc.changes, is(phases.Updated, no, 10))...)...))
			checkNode(t, n)
			assert.Equal(t, tc.marks, marks(n))
			assert.Equal(t, tc.step, n.Step)
		})
	}
	n := mco.Of(nil, mcn(append(image(is(phases.UpdatePrepared, yes, 11), is(phases.Cordoned, yes, 11), is(phases.Drained, yes, 12), pulled, is(phases.AppliedFiles, running, 14)),
		withDesired(configB), is(phases.Updated, no, 10))...))
	assert.Equal(t, at(13), n.Since, "AppliedFiles, which runs after ImagePulledFromRegistry, is no retry")
}

// The node has joined with its config, until a step of an update is reported.
func TestANodeIsNewUntilItsFirstUpdate(t *testing.T) {
	updated := is(phases.Updated, yes, 1)
	for name, tc := range map[string]struct {
		object *mcfgv1.MachineConfigNode
		want   bool
	}{
		"joined, and restarted since": {mcn(updated, is(phases.Resumed, yes, 9), is(phases.Uncordoned, yes, 9)), true},
		"its first update runs":       {mcn(is(phases.Updated, no, 5), is(phases.Drained, running, 6)), false},
		"a dump leaves out the steps": {&mcfgv1.MachineConfigNode{}, false},
	} {
		assert.Equal(t, tc.want, mco.Of(nil, tc.object).IsNew, name)
	}
}
