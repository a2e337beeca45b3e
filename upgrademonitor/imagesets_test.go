package upgrademonitor_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

func TestBadImageSetsChangeNothing(t *testing.T) {
	many := make([]upgrademonitor.PinnedImageSet, 101)
	for i := range many {
		many[i] = upgrademonitor.PinnedImageSet{Name: fmt.Sprintf("set-%d", i), Generation: 1}
	}
	for name, sets := range map[string][]upgrademonitor.PinnedImageSet{
		"no name":             {{Generation: 1}},
		"a bad name":          {{Name: "My_Set", Generation: 1}},
		"no generation":       {{Name: "a"}},
		"a negative one":      {{Name: "a", Generation: -1}},
		"one above the limit": {{Name: "a", Generation: 1 << 31}},
		"a duplicate":         {{Name: "a", Generation: 1}, {Name: "b", Generation: 1}, {Name: "a", Generation: 1}},
		"too many":            many,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			var log logLines
			f.ReportPinnedImageSets(log.context(t.Context()), sets, nil)
			require.Len(t, log.take(), 1)
			assert.Empty(t, f.requests())
		})
	}
}

func TestImageSetsThroughTheirLife(t *testing.T) {
	type set = upgrademonitor.PinnedImageSet
	type entry = mcfgv1.MachineConfigNodeStatusPinnedImageSet
	const (
		complete = "False/AsExpected/All pinned image sets complete"
		fetching = "True/ImagePrefetch/node is prefetching images: worker-0"
		good     = "False/AsExpected/All is good"
		bad      = "True/PrefetchFailed/One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details."
	)
	f := newFixture(t)
	f.reportUpdated(t)
	for _, step := range []struct {
		name                  string
		sets                  []set
		failure               error
		progressing, degraded string
		want                  []entry
		requests              int
	}{
		{"fetching", []set{{Name: "a", Generation: 1}}, nil, fetching, good, []entry{{Name: "a", DesiredGeneration: 1}}, 1},
		{"the same", []set{{Name: "a", Generation: 1}}, nil, fetching, good, []entry{{Name: "a", DesiredGeneration: 1}}, 0},
		{"done", []set{{Name: "a", Generation: 1, Done: true}}, nil, complete, good, []entry{{Name: "a", DesiredGeneration: 1, CurrentGeneration: 1}}, 1},
		{"failed, though done", []set{{Name: "a", Generation: 2, Done: true, Err: errors.New("")}}, nil, fetching, bad,
			[]entry{{Name: "a", DesiredGeneration: 2, CurrentGeneration: 1, LastFailedGeneration: 2, LastFailedGenerationError: "unknown error"}}, 1},
		{"fetching again", []set{{Name: "a", Generation: 2}}, nil, fetching, bad,
			[]entry{{Name: "a", DesiredGeneration: 2, CurrentGeneration: 1, LastFailedGeneration: 2, LastFailedGenerationError: "unknown error"}}, 0},
		{"created again", []set{{Name: "a", Generation: 1, Done: true}}, nil, complete, good, []entry{{Name: "a", DesiredGeneration: 1, CurrentGeneration: 1}}, 2},
		{"a failure of no set", []set{{Name: "a", Generation: 1, Done: true}}, errors.New("no space left on device"), complete, bad, []entry{{Name: "a", DesiredGeneration: 1, CurrentGeneration: 1}}, 1},
		{"gone", nil, nil, complete, good, nil, 1},
	} {
		f.ReportPinnedImageSets(t.Context(), step.sets, step.failure)
		assert.Len(t, f.requests(), step.requests, step.name)
		text := func(p phases.Phase) string {
			c := f.condition(t, p)
			return fmt.Sprintf("%s/%s/%s", c.Status, c.Reason, c.Message)
		}
		assert.Equal(t, step.progressing, text(phases.PinnedImageSetsProgressing), step.name)
		assert.Equal(t, step.degraded, text(phases.PinnedImageSetsDegraded), step.name)
		assert.Equal(t, step.want, f.object(t).Status.PinnedImageSets, step.name)
	}
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Updated).Status)
}

// A failure that belongs to no set is in the log alone: each one that is new.
func TestFailureOfNoImageSetIsLogged(t *testing.T) {
	f := newFixture(t)
	var log logLines
	ctx := log.context(t.Context())
	for _, failure := range []string{"registry unreachable", "registry unreachable", "no space left on device"} {
		f.ReportPinnedImageSets(ctx, nil, errors.New(failure))
	}
	lines := log.take()
	require.Len(t, lines, 2)
	assert.Contains(t, lines[1], "no space left on device")
}

// A typed nil error does not panic.
func TestTypedNilErrorOfAnImageSet(t *testing.T) {
	f := newFixture(t)
	var none *fs.PathError
	f.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "a", Generation: 1, Err: none}}, nil)
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.PinnedImageSetsDegraded).Status)
}
