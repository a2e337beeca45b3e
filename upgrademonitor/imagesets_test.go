package upgrademonitor_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

type imageSets = []upgrademonitor.PinnedImageSet

func TestInvalidImageSetsAreRejectedWithoutARequest(t *testing.T) {
	many := make(imageSets, 101)
	for i := range many {
		many[i] = upgrademonitor.PinnedImageSet{Name: fmt.Sprintf("set-%d", i), Generation: 1}
	}
	for field, sets := range map[string]imageSets{
		"sets[0].name: Invalid value: \\\"\\\"":       {{Generation: 1}},
		"sets[0].name: Invalid value: \\\"My_Set\\\"": {{Name: "My_Set", Generation: 1}},
		"sets[0].generation: Invalid value: 0":        {{Name: "a"}},
		"sets[0].generation: Invalid value: -1":       {{Name: "a", Generation: -1}},
		"sets[0].generation: Invalid value: 2147":     {{Name: "a", Generation: 1 << 31}},
		"sets[2].name: Duplicate value":               {{Name: "a", Generation: 1}, {Name: "b", Generation: 1}, {Name: "a", Generation: 1}},
		"sets: Too many: 101":                         many,
	} {
		t.Run(field, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				var log logLines
				f.ReportPinnedImageSets(log.context(t.Context()), sets, nil)
				lines := log.take()
				require.Len(t, lines, 1)
				assert.Contains(t, lines[0], field)
				assert.Empty(t, f.requests())
			})
		})
	}
	inBubble(t, func(t *testing.T, f *fixture) {
		f.ReportPinnedImageSets(t.Context(), append(many[:99:99], upgrademonitor.PinnedImageSet{Name: "last", Generation: 1<<31 - 1}), nil)
		assert.Len(t, f.object().Status.PinnedImageSets, 100, "100 sets and the highest generation are valid")
	})
}

// A set with an error is shown as failed, even if it is done. An empty error, or a nil pointer, also has a text.
func TestTheErrorOfAnImageSetCountsMoreThanDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var none *fs.PathError
		f := newUpdated(t)
		for _, step := range []struct {
			err      error
			want     string
			degraded metav1.ConditionStatus
			requests int
		}{
			{nil, "", "False", 1},
			{errors.New(""), "unknown error", "True", 1},
			{errors.New(""), "unknown error", "True", 0},
			{none, "<nil>", "True", 1},
		} {
			f.ReportPinnedImageSets(t.Context(), imageSets{{Name: "a", Generation: 2, Done: true, Err: step.err}}, nil)
			assert.Len(t, f.requests(), step.requests)
			assert.Equal(t, step.want, f.object().Status.PinnedImageSets[0].LastFailedGenerationError)
			assert.Equal(t, step.degraded, f.status(phases.PinnedImageSetsDegraded))
			assert.Equal(t, step.degraded, f.status(phases.PinnedImageSetsProgressing))
		}
		f.ReportPinnedImageSets(t.Context(), nil, errors.New("no space left on device"))
		assert.Equal(t, []metav1.ConditionStatus{"True", "True"}, []metav1.ConditionStatus{f.status(phases.PinnedImageSetsProgressing), f.status(phases.PinnedImageSetsDegraded)})
	})
}

// A set that has its own error keeps it. If all sets are done, the failure is in the message of the condition.
func TestAFailureOfAllImageSetsIsTheErrorOfEachSetThatIsNotDone(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		full := errors.New("no space left on device")
		f.ReportPinnedImageSets(t.Context(), imageSets{
			{Name: "a", Generation: 1}, {Name: "b", Generation: 1, Done: true}, {Name: "c", Generation: 1, Err: errors.New("no route")},
		}, full)
		var failures []string
		for _, set := range f.object().Status.PinnedImageSets {
			failures = append(failures, set.LastFailedGenerationError)
		}
		assert.Equal(t, []string{"no space left on device", "", "no route"}, failures)
		assert.NotContains(t, f.condition(phases.PinnedImageSetsDegraded).Message, "no space")
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.PinnedImageSetsProgressing))

		done := imageSets{{Name: "a", Generation: 1, Done: true}}
		f.ReportPinnedImageSets(t.Context(), done, full)
		assert.Empty(t, f.object().Status.PinnedImageSets[0].LastFailedGenerationError)
		assert.Contains(t, f.condition(phases.PinnedImageSetsDegraded).Message, "no space left on device")
		assert.Equal(t, metav1.ConditionTrue, f.status(phases.PinnedImageSetsProgressing), "with a failure of all sets, the sets are still in progress")
		assert.Equal(t, 1, strings.Count(strings.Join(f.log.take(), ""), full.Error()))
		f.ReportPinnedImageSets(t.Context(), done, nil)
		assert.Equal(t, metav1.ConditionFalse, f.status(phases.PinnedImageSetsProgressing))
		assert.Equal(t, metav1.ConditionFalse, f.status(phases.PinnedImageSetsDegraded))
	})
}

func TestTheErrorOfAnImageSetIsReadAtTheCallAndTruncated(t *testing.T) {
	inBubble(t, func(t *testing.T, f *fixture) {
		f.fails(errDown)
		err := &mutableError{text: "no route" + strings.Repeat(" to host", 1000)}
		f.ReportPinnedImageSets(t.Context(), imageSets{{Name: "a", Generation: 1, Err: err}}, nil)
		err.text = "changed later by the caller"
		f.fails(nil)
		require.NoError(t, f.Flush(t.Context()))
		text := f.object().Status.PinnedImageSets[0].LastFailedGenerationError
		assert.True(t, strings.HasPrefix(text, "no route"))
		assert.Len(t, text, 1024)
	})
}

type mutableError struct{ text string }

func (e *mutableError) Error() string { return e.text }
