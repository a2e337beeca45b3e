package transitions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// A report that changes nothing else adds missing conditions, and removes the conditions of the other mode.
func TestARepeatCompletesTheList(t *testing.T) {
	r := report(phases.Drained, running)
	full := next(t, midway(false, nil), false, r)[0]
	require.Nil(t, next(t, full, false, r))

	for _, p := range []phases.Phase{phases.RebootedNode, phases.NodeDegraded} {
		writes := next(t, without(full, p), false, r)
		require.Len(t, writes, 1)
		assert.Equal(t, neverRan(p, now), condition(t, writes[0], p))
		assert.Equal(t, without(full, p), without(writes[0], p))
	}
	late := report(phases.Updated, no, func(r *request) { r.Ended = true })
	ended := next(t, full, false, report(phases.Updated, done))[0]
	assert.Nil(t, next(t, ended, false, late))
	assert.Equal(t, standardTypes, types(next(t, without(ended, phases.RebootedNode), false, late)[0]))
	other := next(t, midway(true, nil), true, r)[0]
	writes := next(t, other, false, r)
	require.Len(t, writes, 1)
	assert.Equal(t, standardTypes, types(writes[0]))
	assert.Equal(t, neverRan(phases.AppliedFilesAndOS, now), condition(t, writes[0], phases.AppliedFilesAndOS))
	list := slices.Clone(full)
	slices.Reverse(list)
	second := condition(t, full, phases.Drained)
	second.Status = no
	list = append(list, metav1.Condition{Type: "InternalReleaseImageDegraded", Status: no}, second)
	assert.Nil(t, next(t, list, false, r), "the order, conditions of other clients and second conditions are ignored")
	assert.Equal(t, standardTypes, types(next(t, list, false, report(phases.Drained, done))[0]))
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
			assert.Equal(t, tc.same, transitions.Equal(tc.list, want))
		})
	}
	assert.True(t, transitions.Equal(nil, nil))
	assert.False(t, transitions.Equal(want, nil), "a whole list differs from nil")
}

func TestEndAddsOnePrefix(t *testing.T) {
	fits := strings.Repeat("a", 4096-len(prefix+"b: "))
	for name, tc := range map[string]struct{ message, update, want string }{
		"plain":             {"drained", "b", "Action during update to b: drained"},
		"empty":             {"", "b", "Action during update to b: "},
		"image mode off":    {"drained", "disable image mode", "Action during update to disable image mode: drained"},
		"prefixed":          {"Action during update to a: drained", "b", "Action during update to a: drained"},
		"prefixed the same": {"Action during update to b: drained", "b", "Action during update to b: drained"},
		"at the limit":      {fits, "b", prefix + "b: " + fits},
		"over the limit":    {fits + "a", "b", conditions.TruncateTo(prefix+"b: "+fits+"a", 4096)},
		"prefixed, over":    {prefix + "a: " + fits + "a", "b", conditions.TruncateTo(prefix+"a: "+fits+"a", 4096)},
		"later in the text": {"see Action during update to a", "b", "Action during update to b: see Action during update to a"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, prefixed(tc.message, tc.update))
		})
	}
}
