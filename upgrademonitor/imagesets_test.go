package upgrademonitor_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

type imageSets = []upgrademonitor.PinnedImageSet

func TestImageSetsThatAreRejected(t *testing.T) {
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
			f := newFixture(t)
			var log logLines
			f.ReportPinnedImageSets(log.context(t.Context()), sets, nil)
			lines := log.take()
			require.Len(t, lines, 1)
			assert.Contains(t, lines[0], field)
			assert.Empty(t, f.requests())
		})
	}
	f := newUpdated(t)
	f.ReportPinnedImageSets(t.Context(), append(many[:99:99], upgrademonitor.PinnedImageSet{Name: "last", Generation: 1<<31 - 1}), nil)
	assert.Len(t, f.object().Status.PinnedImageSets, 100, "the limits are valid")
}

func TestImageSetsThroughTheirLife(t *testing.T) {
	type entry = mcfgv1.MachineConfigNodeStatusPinnedImageSet
	const (
		complete = "False/AsExpected/All pinned image sets complete"
		fetching = "True/ImagePrefetch/node is prefetching images: worker-0"
		good     = "False/AsExpected/All is good"
		bad      = "True/PrefetchFailed/One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details."
	)
	var none *fs.PathError
	first, second := entry{Name: "a", DesiredGeneration: 1, CurrentGeneration: 1}, entry{Name: "a", DesiredGeneration: 2, CurrentGeneration: 1, LastFailedGeneration: 2, LastFailedGenerationError: "unknown error"}
	nilError := second
	nilError.LastFailedGenerationError = "<nil>"
	f := newUpdated(t)
	for _, step := range []struct {
		name                  string
		sets                  imageSets
		failure               error
		progressing, degraded string
		want                  []entry
		requests              int
	}{
		{"fetching", imageSets{{Name: "a", Generation: 1}}, nil, fetching, good, []entry{{Name: "a", DesiredGeneration: 1}}, 1},
		{"the same", imageSets{{Name: "a", Generation: 1}}, nil, fetching, good, []entry{{Name: "a", DesiredGeneration: 1}}, 0},
		{"done", imageSets{{Name: "a", Generation: 1, Done: true}}, nil, complete, good, []entry{first}, 1},
		{"failed, though done", imageSets{{Name: "a", Generation: 2, Done: true, Err: errors.New("")}}, nil, fetching, bad, []entry{second}, 1},
		{"fetching again", imageSets{{Name: "a", Generation: 2}}, nil, fetching, bad, []entry{second}, 0},
		{"a typed nil error", imageSets{{Name: "a", Generation: 2, Err: none}}, nil, fetching, bad, []entry{nilError}, 1},
		{"created again", imageSets{{Name: "a", Generation: 1, Done: true}}, nil, complete, good, []entry{first}, 2},
		{"a failure of no set", imageSets{{Name: "a", Generation: 1, Done: true}}, errors.New("no space left on device"), complete, bad, []entry{first}, 1},
		{"gone", nil, nil, complete, good, nil, 1},
	} {
		f.ReportPinnedImageSets(t.Context(), step.sets, step.failure)
		assert.Len(t, f.requests(), step.requests, step.name)
		text := func(p phases.Phase) string { return strings.Join(textsOf(f.condition(p)), "/") }
		assert.Equal(t, step.progressing, text(phases.PinnedImageSetsProgressing), step.name)
		assert.Equal(t, step.degraded, text(phases.PinnedImageSetsDegraded), step.name)
		assert.Equal(t, step.want, f.object().Status.PinnedImageSets, step.name)
	}
}

// A failure that belongs to no set is only in the log: once, until another failure.
func TestFailureOfNoImageSetIsLogged(t *testing.T) {
	f := newFixture(t)
	var log logLines
	for _, failure := range []string{"registry unreachable", "registry unreachable", "no space left on device"} {
		f.ReportPinnedImageSets(log.context(t.Context()), nil, errors.New(failure))
	}
	f.ReportPinnedImageSets(log.context(t.Context()), nil, nil)
	lines := log.take()
	require.Len(t, lines, 3)
	assert.Contains(t, lines[1], "no space left on device")
	assert.Contains(t, lines[2], "works again")
}

// The text of an error is read when it is reported, and cut. A response that rejects a report blocks no
// other report.
func TestFailureOfAnImageSet(t *testing.T) {
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
