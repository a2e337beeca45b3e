package conditions_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

func TestComplete(t *testing.T) {
	mine := metav1.Condition{Type: "Drained", Status: running, Reason: "Mine", ObservedGeneration: 3, LastTransitionTime: earlier}
	second := metav1.Condition{Type: "Drained", Status: done, Reason: "Second"}
	unowned := metav1.Condition{Type: "InternalReleaseImageDegraded", Status: done}
	for name, list := range map[string][]metav1.Condition{
		"nil":            nil,
		"one":            {mine},
		"duplicate":      {mine, second},
		"unowned":        {unowned, mine, {Type: ""}, {Type: "drained"}},
		"the other mode": {{Type: "AppliedFiles", Status: done}, {Type: "AppliedFilesAndOS", Status: done}, mine},
	} {
		t.Run(name, func(t *testing.T) {
			kept := slices.Clone(list)
			for _, imageMode := range []bool{false, true} {
				complete := conditions.Complete(list, imageMode, now)

				assert.Equal(t, typesOf(imageMode), types(complete))
				for _, c := range complete {
					switch i := slices.IndexFunc(list, func(o metav1.Condition) bool { return o.Type == c.Type }); i {
					case -1:
						assert.Equal(t, neverRan(phases.Phase(c.Type), now), c)
					default:
						assert.Equal(t, list[i], c)
					}
				}
				assert.Equal(t, complete, conditions.Complete(complete, imageMode, earlier), "a complete list is unchanged")
				clear(complete)
				assert.Equal(t, kept, list, "the list is never changed")
			}
		})
	}
}

// A phase that was reset, not required or never reported did not run in this update.
func TestRan(t *testing.T) {
	for name, tc := range map[string]struct {
		c    metav1.Condition
		want bool
	}{
		"missing":                  {metav1.Condition{Type: "Cordoned"}, false},
		"never reported":           {neverRan(phases.Drained, now), false},
		"not required":             {metav1.Condition{Type: "Drained", Status: no, Reason: "UpdateExecutedDrained"}, false},
		"running":                  {metav1.Condition{Type: "Drained", Status: running, Reason: "R"}, true},
		"done":                     {metav1.Condition{Type: "Drained", Status: done, Reason: "R"}, true},
		"running with that reason": {metav1.Condition{Type: "Drained", Status: running, Reason: "NotYetOccurred"}, true},
		"in an earlier update":     {metav1.Condition{Type: "Drained", Status: no, Reason: "R", Message: prefix + "a: m"}, false},
	} {
		assert.Equal(t, tc.want, conditions.Ran([]metav1.Condition{tc.c}, phases.Drained), name)
	}
}

func TestStatusOfAMissingConditionIsFalse(t *testing.T) {
	list := []metav1.Condition{{Type: "Drained", Status: running}, {Type: "Drained", Status: done}}

	assert.Equal(t, running, conditions.StatusOf(list, phases.Drained), "the first one is used")
	assert.Equal(t, no, conditions.StatusOf(list, phases.Cordoned))
	assert.Equal(t, no, conditions.StatusOf(nil, phases.Cordoned))
}

func TestEqualComparesAllButUnownedConditions(t *testing.T) {
	want := midway(false, nil)
	change := func(f func(c *metav1.Condition)) []metav1.Condition {
		list := slices.Clone(want)
		f(&list[3])
		return list
	}
	reversed := slices.Clone(want)
	slices.Reverse(reversed)
	for name, tc := range map[string]struct {
		list []metav1.Condition
		same bool
	}{
		"itself":                     {want, true},
		"in another order":           {reversed, true},
		"with an unowned one":        {append(slices.Clone(want), metav1.Condition{Type: "Unowned"}), true},
		"with a second":              {append(slices.Clone(want), metav1.Condition{Type: "Drained"}), true},
		"with another time":          {change(func(c *metav1.Condition) { c.LastTransitionTime = now }), true},
		"with another status":        {change(func(c *metav1.Condition) { c.Status = done }), false},
		"with another reason":        {change(func(c *metav1.Condition) { c.Reason = "Other" }), false},
		"with another message":       {change(func(c *metav1.Condition) { c.Message += "." }), false},
		"without one":                {without(want, phases.RebootedNode), false},
		"with one of the other mode": {append(slices.Clone(want), metav1.Condition{Type: "AppliedFiles"}), false},
		"nil":                        {nil, false},
		"with the text of another":   {change(func(c *metav1.Condition) { c.Type = "Unowned" }), false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.same, conditions.Equal(tc.list, want))
		})
	}
	assert.True(t, conditions.Equal(nil, nil))
	assert.False(t, conditions.Equal(want, nil), "a whole list differs from nil")
}
