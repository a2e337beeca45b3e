package planner_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// The status and both conditions follow each report of the image sets. A write is printed as "name desired current failed
// error" for each set, where the numbers are generations.
func TestImageSetsFollowTheReports(t *testing.T) {
	type sets = []planner.ImageSet
	s := between(t, nodeOf("a", "a"))
	for i, step := range []struct {
		name                  string
		sets                  sets
		failure               string
		writes                []string
		progressing, degraded metav1.ConditionStatus
	}{
		{"fetching", sets{{Name: "a", Generation: 2}}, "", []string{"[a 2 0 0 ]"}, "True", "False"},
		{"a repeat", sets{{Name: "a", Generation: 2}}, "", nil, "True", "False"},
		{"done", sets{{Name: "a", Generation: 2, Done: true}}, "", []string{"[a 2 2 0 ]"}, "False", "False"},
		{"another set fails", sets{{Name: "a", Generation: 2, Done: true}, {Name: "b", Generation: 5, Failure: "no route"}}, "", []string{"[a 2 2 0 ][b 5 0 5 no route]"}, "True", "True"},
		{"a repeat in another order", sets{{Name: "b", Generation: 5}, {Name: "a", Generation: 2, Done: true}}, "", nil, "True", "True"},
		{"the next generation fails", sets{{Name: "a", Generation: 3, Failure: "full"}, {Name: "b", Generation: 5}}, "", []string{"[a 3 2 3 full][b 5 0 5 no route]"}, "True", "True"},
		{"both are done", sets{{Name: "a", Generation: 3, Done: true}, {Name: "b", Generation: 5, Done: true}}, "", []string{"[a 3 3 0 ][b 5 5 0 ]"}, "False", "False"},
		{"created again, so the generation is lower", sets{{Name: "a", Generation: 1, Done: true}, {Name: "b", Generation: 5, Done: true}}, "", []string{"[b 5 5 0 ]", "[a 1 1 0 ][b 5 5 0 ]"}, "False", "False"},
		{"a failure that belongs to no set", sets{{Name: "b", Generation: 5, Done: true}}, "no disk", []string{"[b 5 5 0 ]"}, "False", "True"},
		{"another set", sets{{Name: "c", Generation: 1}, {Name: "b", Generation: 5, Done: true}}, "", []string{"[b 5 5 0 ][c 1 0 0 ]"}, "True", "False"},
		{"both are done, and there is a failure that belongs to no set", sets{{Name: "b", Generation: 5, Done: true}, {Name: "c", Generation: 1, Done: true}}, "no disk", []string{"[b 5 5 0 ][c 1 1 0 ]"}, "True", "True"},
		{"the failure is gone", sets{{Name: "b", Generation: 5, Done: true}, {Name: "c", Generation: 1, Done: true}}, "", []string{"[b 5 5 0 ][c 1 1 0 ]"}, "False", "False"},
		{"a newer generation fails", sets{{Name: "b", Generation: 6, Failure: "full"}}, "", []string{"[b 6 5 6 full]"}, "True", "True"},
		{"the next generation is not done yet", sets{{Name: "b", Generation: 7}}, "", []string{"[b 7 5 6 full]"}, "True", "True"},
		{"created again, with a lower generation than the failed one", sets{{Name: "b", Generation: 5}}, "", []string{"", "[b 5 0 0 ]"}, "True", "False"},
		{"another set replaces the set", sets{{Name: "c", Generation: 5}}, "", []string{"[c 5 0 0 ]"}, "True", "False"},
		{"no set", nil, "", []string{""}, "False", "False"},
	} {
		at := metav1.NewTime(now.Add(time.Duration(i) * time.Minute))
		change := setsOf(nodeOf("a", "a"), at, step.failure, step.sets...)
		planned, err := writesOf(change, s)
		require.NoError(t, err)
		var writes []string
		for _, next := range planned.States {
			writes = append(writes, textOf(next.Status.PinnedImageSets))
		}
		assert.Equal(t, step.writes, writes, step.name)
		if n := len(planned.States); n > 0 {
			s = planned.States[n-1]
		}
		list := s.Status.Conditions
		assert.Equal(t, step.progressing, conditions.StatusOf(list, phases.PinnedImageSetsProgressing), step.name)
		assert.Equal(t, step.degraded, conditions.StatusOf(list, phases.PinnedImageSetsDegraded), step.name)
		assert.Equal(t, metav1.ConditionTrue, conditions.StatusOf(list, phases.Updated))
		if step.failure != "" {
			assert.Contains(t, conditions.Find(list, phases.PinnedImageSetsDegraded).Message, step.failure)
		}
	}
	failed, err := writesOf(setsOf(nodeOf("a", "a"), now, "", planner.ImageSet{Name: "a", Generation: 1, Failure: "full"}), s)
	require.NoError(t, err)
	progressing := conditions.Find(failed.States[0].Status.Conditions, phases.PinnedImageSetsProgressing)
	assert.Equal(t, []string{"ImagePrefetch", "node is prefetching images: worker-0"}, []string{progressing.Reason, progressing.Message})
	assert.Equal(t, now.Add(16*time.Minute), conditions.Find(s.Status.Conditions, phases.PinnedImageSetsProgressing).LastTransitionTime.Time)
}

// If a report has a lower generation than the status, the set was created again. Then the first write removes the set.
func TestAnImageSetThatWasCreatedAgainNeedsTwoWrites(t *testing.T) {
	for _, known := range []mcfgv1.MachineConfigNodeStatusPinnedImageSet{
		{Name: "a", DesiredGeneration: 2}, {Name: "a", CurrentGeneration: 2}, {Name: "a", LastFailedGeneration: 2},
	} {
		s := between(t, nodeOf("a", "a"))
		s.Status.PinnedImageSets = append(s.Status.PinnedImageSets, known)
		for generation, writes := range map[int32]int{1: 2, 2: 1} {
			change := setsOf(nodeOf("a", "a"), now, "", planner.ImageSet{Name: "a", Generation: generation})
			planned, err := writesOf(change, s)
			require.NoError(t, err)
			assert.Len(t, planned.States, writes, "generation %d after %v", generation, known)
		}
	}
}

func textOf(list []mcfgv1.MachineConfigNodeStatusPinnedImageSet) (text string) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b mcfgv1.MachineConfigNodeStatusPinnedImageSet) int { return int(a.Name[0]) - int(b.Name[0]) })
	for _, set := range list {
		text += fmt.Sprintf("[%s %d %d %d %s]", set.Name, set.DesiredGeneration, set.CurrentGeneration, set.LastFailedGeneration, set.LastFailedGenerationError)
	}
	return text
}
