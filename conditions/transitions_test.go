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

// childMatrix holds, for each transition of a child, the writes if the parent is False, Unknown
// and True. A write is the letters of the child and of the parent; "" is an error.
var childMatrix = []struct {
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
}

// children holds the children of each mode.
var children = map[bool][]phases.Phase{
	false: {phases.Cordoned, phases.Drained, phases.AppliedFilesAndOS, phases.Uncordoned},
	true: {phases.Cordoned, phases.Drained, phases.AppliedFiles, phases.AppliedOSImage,
		phases.ImagePulledFromRegistry, phases.Uncordoned},
}

func eachChildMove(t *testing.T, f func(t *testing.T, imageMode bool, child, parent phases.Phase, list []metav1.Condition, r request, want string)) {
	for imageMode, cs := range children {
		for _, child := range cs {
			parent := phases.Phase(parents[string(child)])
			for _, row := range childMatrix {
				for i, parentFrom := range []string{"F", "U", "T"} {
					name := fmt.Sprintf("image=%t/%s/%s to %s/parent %s/completes=%t", imageMode, child, row.from, row.to, parentFrom, row.completes)
					t.Run(name, func(t *testing.T) {
						list := statusMap{child: letters[row.from], parent: letters[parentFrom]}.list(imageMode)
						r := report(child, letters[row.to])
						r.CompletesParent = row.completes
						f(t, imageMode, child, parent, list, r, row.writes[i])
					})
				}
			}
		}
	}
}

func TestAChildMovesItsParent(t *testing.T) {
	eachChildMove(t, func(t *testing.T, imageMode bool, child, parent phases.Phase, list []metav1.Condition, r request, want string) {
		if want == "" {
			var rejection *phases.TransitionError
			require.ErrorAs(t, rejected(t, list, imageMode, r), &rejection)
			assert.Equal(t, phases.TransitionError{Phase: child, From: running, To: no}, *rejection)
			return
		}
		writes := next(t, list, imageMode, r)

		var got []string
		for _, w := range writes {
			got = append(got, string(status(w, string(child))[0])+string(status(w, string(parent))[0]))
		}
		assert.Equal(t, want, strings.Join(got, " "))
		last := writes[len(writes)-1]
		assert.Equal(t, "Reported"+string(child), condition(t, last, child).Reason)
		assert.Equal(t, "about "+string(child), condition(t, last, child).Message)
	})
}

// A report that was delayed takes nothing back: its parent was completed after it was made.
func TestALateChildLeavesItsParent(t *testing.T) {
	at := func(d time.Duration) func(*request) {
		return func(r *request) { r.Time = metav1.NewTime(earlier.Add(d)) }
	}
	for name, tc := range map[string]struct {
		from   metav1.ConditionStatus
		time   time.Duration // after the parent turned True
		writes string        // child and parent
	}{
		"a second before":         {no, -time.Second, "UT"},
		"a second before, again":  {done, -time.Second, "FT UT"},
		"the fraction counts not": {no, 999 * time.Millisecond, "FF UU"},
		"at the same time":        {no, 0, "FF UU"},
		"later":                   {done, time.Second, "FF UU"},
	} {
		t.Run(name, func(t *testing.T) {
			list := statusMap{phases.Drained: tc.from, phases.UpdateExecuted: done}.list(false)
			for _, texts := range []func(*request){func(*request) {}, func(r *request) { r.ParentMessage = "to the parent" }} {
				var got []string
				writes := next(t, list, false, report(phases.Drained, running, at(tc.time), texts))
				for _, w := range writes {
					pair := pair(w, "Drained", "UpdateExecuted")
					got = append(got, string(pair[0][0])+string(pair[1][0]))
					if strings.HasSuffix(tc.writes, "T") {
						assert.Equal(t, condition(t, list, phases.UpdateExecuted), condition(t, w, phases.UpdateExecuted))
					}
				}
				assert.Equal(t, tc.writes, strings.Join(got, " "))
			}
		})
	}
}

// Whatever the status of the report, and also if it completes nothing yet.
func TestAnUnknownParentSaysWhatWasReportedLast(t *testing.T) {
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

func TestAParentIsNotTrueWhileAChildIsUnknown(t *testing.T) {
	for imageMode, children := range children {
		for _, child := range children {
			parent := phases.Phase(parents[string(child)])
			for _, sibling := range children {
				if sibling == child || parents[string(sibling)] != string(parent) {
					continue
				}
				for _, from := range []metav1.ConditionStatus{no, running} {
					list := statusMap{child: running, sibling: running, parent: from}.list(imageMode)
					writes := next(t, list, imageMode, report(child, done, completing))
					last := writes[len(writes)-1]
					assert.Equal(t, done, status(last, string(child)))
					assert.Equal(t, running, status(last, string(parent)), "%s runs", sibling)

					writes = next(t, last, imageMode, report(sibling, done, completing))
					assert.Equal(t, done, status(writes[len(writes)-1], string(parent)))
				}
			}
		}
	}
}
