package planner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// WithSpecOf changes a spec with the pool worker, config a and image 1. HasSpecOf is true if the spec needs no change.
func TestTheSpecFollowsTheNode(t *testing.T) {
	noConfig := imageNodeOf("1", "2")
	noConfig.CurrentConfig, noConfig.DesiredConfig = "", ""
	desired := imageNodeOf("1", "2")
	desired.CurrentConfig = ""
	current := imageNodeOf("1", "2")
	current.DesiredConfig = ""
	standard := nodeOf("a", "a")
	standard.DesiredImage = "2"
	infra, noPool := nodeOf("a", "a"), nodeOf("a", "a")
	infra.Pool, noPool.Pool = "infra", "not-yet-set"
	for name, tc := range map[string]struct {
		node planner.Node
		want string // pool, config, image
	}{
		"the same values": {imageNodeOf("1", "1"), "worker a 1"},
		"another config":  {nodeOf("a", "b"), "worker b 1"},
		"no config, so the images are not known either": {noConfig, "worker a 1"},
		"another image":                  {imageNodeOf("1", "2"), "worker a 2"},
		"no image":                       {imageNodeOf("1", ""), "worker a "},
		"no desired config":              {current, "worker a 2"},
		"no current config":              {desired, "worker a 2"},
		"another image in standard mode": {standard, "worker a 1"},
		"another pool":                   {infra, "infra a 1"},
		"the pool is not known yet":      {noPool, "worker a 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := planner.State{}.WithSpecOf(imageNodeOf("1", "1"))
			got := s.WithSpecOf(tc.node)
			assert.Equal(t, tc.want, got.Spec.Pool.Name+" "+got.Spec.ConfigVersion.Desired+" "+string(got.Spec.ConfigImage.DesiredImage))
			assert.Equal(t, tc.want == "worker a 1", s.HasSpecOf(tc.node))
			assert.Equal(t, "worker-0", got.Spec.Node.Name)
			assert.Equal(t, []metav1.OwnerReference{tc.node.Owner}, got.Owners)
		})
	}
	empty := planner.State{}.WithSpecOf(planner.Node{Pool: "not-yet-set"})
	assert.Equal(t, "not-yet-set not-yet-set", empty.Spec.Pool.Name+" "+empty.Spec.ConfigVersion.Desired)
	another := nodeOf("a", "a")
	another.Owner.UID = "2"
	assert.False(t, planner.State{}.WithSpecOf(nodeOf("a", "a")).HasSpecOf(another), "another owner")
}

// Until UpdatePrepared is True, the start of an update, its repeats, and reports of UpdatePrepared write the spec. The end
// of an update writes the spec if the Node runs its desired config.
func TestTheStartAndTheEndOfAnUpdateWriteTheSpec(t *testing.T) {
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
		"Updated=False starts an update":                      {s, report(phases.Updated, no, b), true},
		"a step starts an update":                             {s, report(phases.Drained, running, b), true},
		"a repeat of Updated=False":                           {started, report(phases.Updated, no, b), true},
		"UpdatePrepared=Unknown":                              {started, report(phases.UpdatePrepared, running, b), true},
		"a repeat of Updated=False after UpdatePrepared=True": {prepared, report(phases.Updated, no, b), false},
		"a repeat of UpdatePrepared=True":                     {prepared, report(phases.UpdatePrepared, done, b), false},
		"UpdatePrepared is not required":                      {started, with(report(phases.UpdatePrepared, done, b), func(c *planner.Change) { c.NotRequired = true }), false},
		"UpdatePrepared=False between updates":                {s, report(phases.UpdatePrepared, no, b), false},
		"another step":                                        {started, report(phases.Drained, done, b), false},
		"the end of an update":                                {started, report(phases.Updated, done, nodeOf("b", "b")), true},
		"the end of an update that was withdrawn":             {started, report(phases.Updated, done, nodeOf("a", "a")), true},
		"the end, but the Node desires another config":        {started, report(phases.Updated, done, nodeOf("b", "c")), false},
		"the end, but the Node has no configs":                {started, report(phases.Updated, done, nodeOf("", "")), false},
		"Updated is not required":                             {started, with(report(phases.Updated, done, nodeOf("b", "b")), func(c *planner.Change) { c.NotRequired = true }), false},
		"a repeat of the end between updates":                 {s, report(phases.Updated, done, nodeOf("a", "a")), false},
	} {
		planned, err := writesOf(tc.change, tc.state)
		require.NoError(t, err)
		assert.Equal(t, tc.want, planned.WritesSpec, name)
	}
}
