package transitions_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

func TestARepeatAddsMissingConditionsAndRemovesThoseOfTheOtherMode(t *testing.T) {
	r := report(phases.Drained, running)
	full := next(t, midway(false, nil), false, r)[0]
	require.Nil(t, next(t, full, false, r))

	for _, p := range []phases.Phase{phases.RebootedNode, phases.NodeDegraded} {
		writes := next(t, without(full, p), false, r)
		require.Len(t, writes, 1)
		assert.Equal(t, neverReported(p, now), condition(t, writes[0], p))
		assert.Equal(t, without(full, p), without(writes[0], p))
	}
	late := report(phases.Updated, no, func(r *request) { r.Ended = true })
	ended := next(t, full, false, report(phases.Updated, done))[0]
	assert.Nil(t, next(t, ended, false, late))
	assert.Equal(t, typesOf(false), types(next(t, without(ended, phases.RebootedNode), false, late)[0]))
	other := next(t, midway(true, nil), true, r)[0]
	writes := next(t, other, false, r)
	require.Len(t, writes, 1)
	assert.Equal(t, typesOf(false), types(writes[0]))
	assert.Equal(t, neverReported(phases.AppliedFilesAndOS, now), condition(t, writes[0], phases.AppliedFilesAndOS))
	assert.Len(t, next(t, append(slices.Clone(full), metav1.Condition{Type: "AppliedFiles"}), false, r), 1, "a condition of the other mode is removed")
	list := slices.Clone(full)
	slices.Reverse(list)
	second := condition(t, full, phases.Drained)
	second.Status = no
	list = append(list, metav1.Condition{Type: "InternalReleaseImageDegraded", Status: no}, second)
	assert.Nil(t, next(t, list, false, r), "the order, conditions of other clients and second conditions are ignored")
	assert.Equal(t, typesOf(false), types(next(t, list, false, report(phases.Drained, done))[0]))
}

func TestOnlyALateUnknownLeavesItsParentAlone(t *testing.T) {
	list := midway(false, statusMap{phases.UpdateExecuted: done})
	conditions.Find(list, phases.UpdateExecuted).LastTransitionTime = now
	late := func(r *request) { r.Time = earlier }
	writes := next(t, list, false, report(phases.Cordoned, running, late))
	require.NotEmpty(t, writes)
	assert.Equal(t, condition(t, list, phases.UpdateExecuted), condition(t, writes[len(writes)-1], phases.UpdateExecuted))

	completes := func(r *request) { r.CompletesParent = true }
	writes = next(t, list, false, report(phases.Drained, done, late, completes))
	require.Len(t, writes, 1)
	assert.Equal(t, string(phases.Drained), condition(t, writes[0], phases.UpdateExecuted).Reason, "a late report of True gives its text to the parent")
}

func TestTheErrorNamesTheChildThatIsUnknown(t *testing.T) {
	r := report(phases.UpdateExecuted, done)
	_, _, err := transitions.Next(midway(false, statusMap{phases.Drained: running}), false, r.Report, r.Update)
	assert.ErrorContains(t, err, "its child Drained is Unknown")
}

func TestAChildKeepsItsTextUntilItIsTrueTogetherWithItsParent(t *testing.T) {
	list := midway(false, statusMap{phases.Drained: running, phases.UpdateExecuted: no})
	completes := func(r *request) { r.CompletesParent = true }
	writes := next(t, list, false, report(phases.Drained, done, completes))
	require.Len(t, writes, 2)
	assert.Equal(t, condition(t, list, phases.Drained), condition(t, writes[0], phases.Drained), "the first write only starts the parent")
	assert.Equal(t, done, condition(t, writes[1], phases.Drained).Status)
}
