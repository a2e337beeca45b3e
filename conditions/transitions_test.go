package conditions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// letters: F is False, U is Unknown, T is True.
var letters = map[string]metav1.ConditionStatus{"F": no, "U": running, "T": done}

// lettersOf returns the letters of some phases in each write.
func lettersOf(writes [][]metav1.Condition, ps ...phases.Phase) string {
	var words []string
	for _, w := range writes {
		word := ""
		for _, p := range ps {
			word += string(status(w, string(p))[0])
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Each transition of a child, by the status of its parent: False, Unknown or True. A write is the
// letters of the child and of the parent; "" is an error.
func TestAChildChangesItsParent(t *testing.T) {
	for _, row := range []struct {
		from, to  string
		completes bool
		writes    [3]string
	}{
		{"F", "F", false, [3]string{"FU", "FU", "FT"}},
		{"F", "U", false, [3]string{"UU", "UU", "FF UU"}},
		{"F", "T", false, [3]string{"UU TU", "UU TU", "UT TT"}},
		{"U", "F", false, [3]string{"", "", ""}},
		{"U", "U", false, [3]string{"UU", "UU", "UT"}},
		{"U", "T", false, [3]string{"TU", "TU", "TT"}},
		{"T", "F", false, [3]string{"FU", "FU", "FT"}},
		{"T", "U", false, [3]string{"FF UU", "FU UU", "FF UU"}},
		{"T", "T", false, [3]string{"TU", "TU", "TT"}},
		{"F", "T", true, [3]string{"UU TT", "UU TT", "UT TT"}},
		{"U", "T", true, [3]string{"UU TT", "TT", "TT"}},
		{"T", "T", true, [3]string{"TU TT", "TT", "TT"}},
	} {
		for i, parent := range []string{"F", "U", "T"} {
			t.Run(fmt.Sprintf("%s to %s, parent %s, completes %t", row.from, row.to, parent, row.completes), func(t *testing.T) {
				list := statusMap{phases.Drained: letters[row.from], phases.UpdateExecuted: letters[parent]}.list(false)
				r := report(phases.Drained, letters[row.to])
				r.CompletesParent = row.completes
				if row.writes[i] == "" {
					var rejection *phases.TransitionError
					require.ErrorAs(t, rejected(t, list, false, r), &rejection)
					assert.Equal(t, phases.TransitionError{Phase: phases.Drained, From: running, To: no}, *rejection)
					return
				}
				assert.Equal(t, row.writes[i], lettersOf(next(t, list, false, r), phases.Drained, phases.UpdateExecuted))
			})
		}
	}
}

// A report that was delayed does not restart a parent that was completed after it was made.
func TestALateChildDoesNotChangeItsParent(t *testing.T) {
	for name, tc := range map[string]struct {
		from   metav1.ConditionStatus
		time   time.Duration // after the parent turned True
		writes string        // child and parent
	}{
		"a second before":         {no, -time.Second, "UT"},
		"a second before, again":  {done, -time.Second, "FT UT"},
		"a fraction is ignored":   {no, 999 * time.Millisecond, "FF UU"},
		"at the same time":        {no, 0, "FF UU"},
		"later":                   {done, time.Second, "FF UU"},
		"a repeat, of before":     {running, -time.Second, "UT"},
		"a repeat, at this time":  {running, 0, "UT"},
		"a repeat, a second late": {running, time.Second, "UT"},
	} {
		t.Run(name, func(t *testing.T) {
			list := statusMap{phases.Drained: tc.from, phases.UpdateExecuted: done}.list(false)
			r := report(phases.Drained, running)
			r.Time, r.ParentMessage = metav1.NewTime(earlier.Add(tc.time)), "to the parent"
			writes := next(t, list, false, r)
			assert.Equal(t, tc.writes, lettersOf(writes, phases.Drained, phases.UpdateExecuted))
			if tc.time < 0 {
				assert.Equal(t, condition(t, list, phases.UpdateExecuted), condition(t, writes[len(writes)-1], phases.UpdateExecuted))
			}
		})
	}
}

// The message of a parent during an update is the message of the last report on a child.
func TestAnUnknownParentHasTheMessageOfTheLastReport(t *testing.T) {
	list := next(t, nil, false, report(phases.Cordoned, running))[0]
	for _, r := range []request{
		report(phases.Drained, running), report(phases.Cordoned, done, completing), report(phases.Drained, done),
		report(phases.AppliedFilesAndOS, no), report(phases.Cordoned, no), report(phases.AppliedFilesAndOS, done),
	} {
		writes := next(t, list, false, r)
		require.NotEmpty(t, writes)
		list = writes[len(writes)-1]
		parent := condition(t, list, phases.UpdateExecuted)
		assert.Equal(t, []string{"Unknown", string(r.Phase), r.Message}, []string{string(parent.Status), parent.Reason, parent.Message})
	}
}
