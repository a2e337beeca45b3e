package transitions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/transitions"
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
				complete := transitions.Complete(list, imageMode, now)

				assert.Len(t, complete, len(phases.All(imageMode)))
				for i, c := range complete {
					assert.EqualValues(t, phases.All(imageMode)[i], c.Type)
					switch i := slices.IndexFunc(list, func(o metav1.Condition) bool { return o.Type == c.Type }); i {
					case -1:
						assert.Equal(t, metav1.Condition{Type: c.Type, Status: no, LastTransitionTime: now, Reason: "NotYetOccurred",
							Message: "This node has not yet entered the " + c.Type + " phase"}, c)
					default:
						assert.Equal(t, list[i], c)
					}
				}
				assert.Equal(t, complete, transitions.Complete(complete, imageMode, earlier), "a complete list is unchanged")
				clear(complete)
				assert.Equal(t, kept, list, "the list is never changed")
			}
		})
	}
}

const (
	limit = 4096
	mark  = "… [truncated]"
)

func TestTruncateCutsBetweenCharactersAndMarksIt(t *testing.T) {
	marked := func(char string) string {
		room := limit - len(mark)
		return strings.Repeat(char, room-room/2) + mark + strings.Repeat(char, room/2)
	}
	for name, tc := range map[string]struct{ message, want string }{
		"empty":                 {"", ""},
		"short":                 {"drained", "drained"},
		"one below the limit":   {strings.Repeat("a", limit-1), strings.Repeat("a", limit-1)},
		"at the limit":          {strings.Repeat("a", limit), strings.Repeat("a", limit)},
		"one over":              {strings.Repeat("a", limit+1), marked("a")},
		"far over":              {strings.Repeat("a", 3*limit), marked("a")},
		"already truncated":     {marked("a"), marked("a")},
		"two bytes, at limit":   {strings.Repeat("é", limit/2), strings.Repeat("é", limit/2)},
		"two bytes, over":       {strings.Repeat("é", limit/2+1), strings.Repeat("é", 1020) + mark + strings.Repeat("é", 1020)},
		"two bytes, and one":    {strings.Repeat("é", limit/2) + "a", strings.Repeat("é", 1020) + mark + strings.Repeat("é", 1019) + "a"},
		"invalid UTF-8":         {"a\xffb", "a\uFFFDb"},
		"half a character":      {"é"[:1], "\uFFFD"},
		"invalid, at the limit": {strings.Repeat("a", limit-3) + "\xff", strings.Repeat("a", limit-3) + "\uFFFD"},
		"the cause at the end":  {strings.Repeat("a", limit) + ": disk full", strings.TrimSuffix(marked("a"), strings.Repeat("a", 11)) + ": disk full"},
	} {
		t.Run(name, func(t *testing.T) {
			got := transitions.TruncateTo(tc.message, 4096)

			assert.Equal(t, tc.want, got)
			assert.Equal(t, got, transitions.TruncateTo(got, 4096), "truncated again")
		})
	}
}
