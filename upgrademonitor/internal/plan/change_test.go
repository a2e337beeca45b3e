package plan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// A change absorbs a newer change that differs in texts only. The time stays.
func TestAbsorb(t *testing.T) {
	set := func(change ...func(*plan.ImageSetsChange)) plan.ImageSetsChange {
		c := plan.ImageSetsChange{Node: viewOf("a", "b"), Time: now, Sets: []plan.ImageSet{{Name: "s", Generation: 2, Failure: "no route"}}}
		for _, f := range change {
			f(&c)
		}
		return c
	}
	drained := report(phases.Drained, metav1.ConditionUnknown, viewOf("a", "b"))
	for name, tc := range map[string]struct {
		older, newer plan.Change
		want         plan.Change // nil: not absorbed
	}{
		"texts of a phase": {drained, func() plan.Change {
			c := drained
			c.Message, c.Reason, c.ParentMessage, c.Time = "x", "y", "z", metav1.Time{}
			return c
		}(),
			func() plan.Change { c := drained; c.Message, c.Reason, c.ParentMessage = "x", "y", "z"; return c }()},
		"another status":     {drained, report(phases.Drained, metav1.ConditionTrue, viewOf("a", "b")), nil},
		"another view":       {drained, report(phases.Drained, metav1.ConditionUnknown, viewOf("b", "b")), nil},
		"another kind":       {drained, set(), nil},
		"not required":       {drained, func() plan.Change { c := drained; c.NotRequired = true; return c }(), nil},
		"a failure":          {set(), set(func(c *plan.ImageSetsChange) { c.Sets[0].Failure, c.Time = "disk full", metav1.Time{} }), set(func(c *plan.ImageSetsChange) { c.Sets[0].Failure = "disk full" })},
		"no failure":         {set(), set(func(c *plan.ImageSetsChange) { c.Sets[0].Failure = "" }), nil},
		"done":               {set(), set(func(c *plan.ImageSetsChange) { c.Sets[0].Done = true }), nil},
		"a generation":       {set(), set(func(c *plan.ImageSetsChange) { c.Sets[0].Generation = 3 }), nil},
		"another set":        {set(), set(func(c *plan.ImageSetsChange) { c.Sets[0].Name = "t" }), nil},
		"fewer sets":         {set(), set(func(c *plan.ImageSetsChange) { c.Sets = nil }), nil},
		"failed at large":    {set(), set(func(c *plan.ImageSetsChange) { c.Failed = true }), nil},
		"another view, sets": {set(), set(func(c *plan.ImageSetsChange) { c.Node = viewOf("b", "b") }), nil},
		"sets, a phase":      {set(), drained, nil},
		"versions":           {plan.NodeChange{Node: viewOf("a", "b"), Time: now}, plan.NodeChange{Node: viewOf("b", "b")}, plan.NodeChange{Node: viewOf("b", "b"), Time: now}},
		"versions, sets":     {plan.NodeChange{Node: viewOf("a", "b")}, set(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := tc.older.Absorb(tc.newer)
			assert.Equal(t, tc.want != nil, ok)
			if ok {
				assert.Equal(t, tc.want, got)
			}
		})
	}
	newer := set(func(c *plan.ImageSetsChange) { c.Node, c.Sets, c.Time = viewOf("b", "b"), nil, metav1.Time{} })
	got, ok := set().Replace(newer)
	newer.Time = now
	assert.True(t, ok)
	assert.Equal(t, newer, got, "Replace")
}
