package plan_test

import (
	"encoding/json"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

type (
	set   = plan.ImageSet
	entry = mcfgv1.MachineConfigNodeStatusPinnedImageSet
)

func imageSets(second int, sets ...set) plan.ImageSets {
	return plan.ImageSets{
		Report:   plan.Report{Report: conditions.Report{Time: at(second)}, Node: plan.Node{CurrentConfig: configA, DesiredConfig: configA}},
		NodeName: "worker-0", Sets: sets,
	}
}

func text(s plan.State, p phases.Phase) string {
	c := conditions.Find(s.Object.Status.Conditions, p)
	return string(c.Status) + "/" + c.Reason + "/" + c.Message
}

func TestImageSetsThroughTheirLife(t *testing.T) {
	const (
		complete = "False/AsExpected/All pinned image sets complete"
		fetching = "True/ImagePrefetch/node is prefetching images: worker-0"
		good     = "False/AsExpected/All is good"
		bad      = "True/PrefetchFailed/One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details."
	)
	apply, merge := plan.ApplyStatus, plan.MergeStatus
	s := upToDate(configA, "", false)
	for i, step := range []struct {
		name                  string
		sets                  []set
		failure               string
		progressing, degraded string
		want                  []entry
		kinds                 []plan.Kind
	}{
		{"fetching", []set{{Name: "a", Generation: 1}}, "", fetching, good, []entry{{Name: "a", DesiredGeneration: 1}}, []plan.Kind{apply}},
		{"the same", []set{{Name: "a", Generation: 1}}, "", fetching, good, []entry{{Name: "a", DesiredGeneration: 1}}, nil},
		{"done", []set{{Name: "a", Generation: 1, Done: true}}, "", complete, good, []entry{{Name: "a", DesiredGeneration: 1, CurrentGeneration: 1}}, []plan.Kind{apply}},
		{"another generation failed", []set{{Name: "a", Generation: 2, Failure: "e"}}, "", fetching, bad,
			[]entry{{Name: "a", DesiredGeneration: 2, CurrentGeneration: 1, LastFailedGeneration: 2, LastFailedGenerationError: "e"}}, []plan.Kind{apply}},
		{"fetching again keeps the failure", []set{{Name: "a", Generation: 2}}, "", fetching, bad,
			[]entry{{Name: "a", DesiredGeneration: 2, CurrentGeneration: 1, LastFailedGeneration: 2, LastFailedGenerationError: "e"}}, nil},
		{"done clears it", []set{{Name: "a", Generation: 2, Done: true}}, "", complete, good, []entry{{Name: "a", DesiredGeneration: 2, CurrentGeneration: 2}}, []plan.Kind{merge}},
		{"created again", []set{{Name: "a", Generation: 1, Done: true}}, "", complete, good, []entry{{Name: "a", DesiredGeneration: 1, CurrentGeneration: 1}}, []plan.Kind{merge, apply}},
		{"one more", []set{{Name: "b", Generation: 1}, {Name: "a", Generation: 1, Done: true}}, "", fetching, good,
			[]entry{{Name: "b", DesiredGeneration: 1}, {Name: "a", DesiredGeneration: 1, CurrentGeneration: 1}}, []plan.Kind{apply}},
		{"in another order", []set{{Name: "a", Generation: 1, Done: true}, {Name: "b", Generation: 1}}, "", fetching, good,
			[]entry{{Name: "b", DesiredGeneration: 1}, {Name: "a", DesiredGeneration: 1, CurrentGeneration: 1}}, nil},
		{"a failure of all", []set{{Name: "a", Generation: 1, Done: true}}, "disk full", complete, "True/PrefetchFailed/disk full",
			[]entry{{Name: "a", DesiredGeneration: 1, CurrentGeneration: 1}}, []plan.Kind{merge}},
		{"gone", nil, "", complete, good, nil, []plan.Kind{merge}},
		{"a failure of none", nil, "registry down", complete, "True/PrefetchFailed/registry down", nil, []plan.Kind{apply}},
	} {
		r := imageSets(i, step.sets...)
		r.Failure = step.failure
		p := planned(t, s, r, plan.Memo{})
		s = p.Final
		assert.Equal(t, step.kinds, kinds(p), step.name)
		assert.Equal(t, step.want, s.Object.Status.PinnedImageSets, step.name)
		assert.Equal(t, step.progressing, text(s, phases.PinnedImageSetsProgressing), step.name)
		assert.Equal(t, step.degraded, text(s, phases.PinnedImageSetsDegraded), step.name)
	}
	assert.True(t, s.IsTrue(phases.Updated))
}

// A generation never decreases within the list, whichever of the three it is.
func TestImageSetThatWasCreatedAgain(t *testing.T) {
	for name, before := range map[string]entry{
		"desired": {Name: "a", DesiredGeneration: 3},
		"current": {Name: "a", DesiredGeneration: 2, CurrentGeneration: 3},
		"failed":  {Name: "a", DesiredGeneration: 2, LastFailedGeneration: 3, LastFailedGenerationError: "e"},
	} {
		t.Run(name, func(t *testing.T) {
			s := upToDate(configA, "", false)
			s.Object.Status.PinnedImageSets = []entry{{Name: "b", DesiredGeneration: 1}, before}
			p := planned(t, s, imageSets(1, set{Name: "a", Generation: 2}, set{Name: "b", Generation: 1}), plan.Memo{})
			require.Equal(t, []plan.Kind{plan.MergeStatus, plan.ApplyStatus}, kinds(p))
			assert.Equal(t, []entry{{Name: "b", DesiredGeneration: 1}}, p.Steps[0].Next.Object.Status.PinnedImageSets, "it leaves in a write of its own")
			assert.Equal(t, entry{Name: "a", DesiredGeneration: 2}, p.Final.Object.Status.PinnedImageSets[0])
		})
	}
}

// What another manager applied stays its own until it is reported.
func TestUnownedImageSets(t *testing.T) {
	s := upToDate(configA, "", false)
	theirs := entry{Name: "theirs", DesiredGeneration: 2, CurrentGeneration: 1, LastFailedGeneration: 2, LastFailedGenerationError: "e"}
	s.Unowned.ImageSets = []entry{theirs}

	ours := after(t, s, imageSets(1, set{Name: "ours", Generation: 1}))
	assert.Equal(t, []entry{theirs}, ours.Unowned.ImageSets)
	assert.Equal(t, []entry{{Name: "ours", DesiredGeneration: 1}}, ours.Object.Status.PinnedImageSets)
	none := after(t, ours, imageSets(2))
	assert.Equal(t, []entry{theirs}, none.Unowned.ImageSets)
	assert.Empty(t, none.Object.Status.PinnedImageSets)
	drained := after(t, s, report(phases.Drained, done, 2, configA, configA))
	assert.Equal(t, []entry{theirs}, drained.Unowned.ImageSets)

	claimed := planned(t, s, imageSets(3, set{Name: "theirs", Generation: 2}), plan.Memo{})
	assert.Equal(t, []plan.Kind{plan.ApplyStatus}, kinds(claimed))
	assert.Empty(t, claimed.Final.Unowned.ImageSets)
	assert.Equal(t, []entry{theirs}, claimed.Final.Object.Status.PinnedImageSets, "as it was")

	cured := planned(t, s, imageSets(4, set{Name: "theirs", Generation: 2, Done: true}), plan.Memo{})
	assert.Equal(t, []plan.Kind{plan.MergeStatus}, kinds(cured), "an apply would leave the failure that they own")

	again := planned(t, s, imageSets(5, set{Name: "theirs", Generation: 1}), plan.Memo{})
	assert.Equal(t, []plan.Kind{plan.MergeStatus, plan.ApplyStatus}, kinds(again))
	assert.Equal(t, []entry{{Name: "theirs", DesiredGeneration: 1}}, again.Final.Object.Status.PinnedImageSets)
}

// The list takes no more conditions than the CRD accepts, those of others included.
func TestRoomForConditionsOfOthers(t *testing.T) {
	s := upToDate(configA, "", false)
	for range 6 {
		s.Unowned.Conditions = append(s.Unowned.Conditions, json.RawMessage(`{"type":"Theirs"}`))
	}
	drained, sets := report(phases.Drained, done, 1, configA, configB), imageSets(1, set{Name: "a", Generation: 1})
	assert.Equal(t, s.Unowned.Conditions, after(t, s, drained, sets).Unowned.Conditions)
	s.Unowned.Conditions = append(s.Unowned.Conditions, json.RawMessage(`{"type":"Another"}`))
	for _, in := range []plan.Intent{drained, sets} {
		_, err := in.Plan(s, plan.Memo{})
		var full *plan.TooManyConditionsError
		require.ErrorAs(t, err, &full)
		assert.Equal(t, plan.TooManyConditionsError{Unowned: 7, Own: 14}, *full)
		assert.ErrorContains(t, err, "the maximum is 20")
	}
	_, err := plan.Spec{Owner: owner, Pool: "infra"}.Plan(s, plan.Memo{})
	require.NoError(t, err, "the spec has nothing to do with it")
	repeat := report(phases.Updated, done, 1, configA, configA)
	repeat.Message = messageOf(s, phases.Updated)
	assert.Empty(t, planned(t, s, repeat, plan.Memo{}).Steps, "a repeat needs no room")
}
