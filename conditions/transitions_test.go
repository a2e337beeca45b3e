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

// A True parent keeps its message if a child is reported False or True. Otherwise its reason is the
// name of the child, and its message that of the child or the ParentMessage.
func TestAParentThatMovesGetsTheReasonAndMessageOfTheChild(t *testing.T) {
	for _, parentMessage := range []string{"", "to the parent"} {
		eachChildMove(t, func(t *testing.T, imageMode bool, child, parent phases.Phase, list []metav1.Condition, r request, want string) {
			if want == "" {
				return
			}
			r.ParentMessage = parentMessage
			before := condition(t, list, parent)

			writes := next(t, list, imageMode, r)

			after := condition(t, writes[len(writes)-1], parent)
			switch {
			case parentMessage != "":
				assert.Equal(t, []string{string(child), parentMessage}, []string{after.Reason, after.Message})
			case before.Status != after.Status || after.Status == running || r.CompletesParent:
				assert.Equal(t, []string{string(child), "about " + string(child)}, []string{after.Reason, after.Message})
			default:
				assert.Equal(t, before, after)
			}
		})
	}
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

func TestCompletesParentIsIgnoredUnlessTheStatusIsTrue(t *testing.T) {
	for _, s := range []metav1.ConditionStatus{no, running} {
		for _, from := range statuses {
			for _, parentFrom := range statuses {
				t.Run(fmt.Sprintf("%s to %s/parent %s", from, s, parentFrom), func(t *testing.T) {
					list := statusMap{phases.Drained: from, phases.UpdateExecuted: parentFrom}.list(false)
					if from == running && s == no {
						_ = rejected(t, list, false, report(phases.Drained, s, completing))
						return
					}
					assert.Equal(t, next(t, list, false, report(phases.Drained, s)), next(t, list, false, report(phases.Drained, s, completing)))
				})
			}
		}
	}
}

func TestANewReasonOrMessageOfAChildIsAlsoTheParents(t *testing.T) {
	first := report(phases.Drained, running)
	list := next(t, nil, false, first)[0]
	list = next(t, list, false, report(phases.AppliedFilesAndOS, running))[0]
	for name, change := range map[string]func(*request){
		"reason":  func(r *request) { r.Reason = "Other" },
		"message": func(r *request) { r.Message = "other" },
	} {
		t.Run(name, func(t *testing.T) {
			r := first
			change(&r)

			writes := next(t, list, false, r)

			require.Len(t, writes, 1)
			parent := condition(t, writes[0], phases.UpdateExecuted)
			assert.Equal(t, []string{"Drained", r.Message}, []string{parent.Reason, parent.Message})
			assert.Equal(t, now, parent.LastTransitionTime, "since the first child ran")
		})
	}
}

func TestAParentThatDoesNotMoveGetsItsMessageWithTheLastWrite(t *testing.T) {
	list := statusMap{phases.UpdateExecuted: running}.list(false)
	r := report(phases.Drained, done, func(r *request) { r.ParentMessage = "drained" })

	writes := next(t, list, false, r)

	require.Len(t, writes, 2)
	assert.Equal(t, "ran UpdateExecuted", condition(t, writes[0], phases.UpdateExecuted).Message)
	assert.Equal(t, "drained", condition(t, writes[1], phases.UpdateExecuted).Message)
}

func TestAParentMovesNoOtherPhase(t *testing.T) {
	want := map[string]string{
		"FF": "F", "FU": "U", "FT": "U T",
		"UF": "rejected", "UU": "U", "UT": "T",
		"TF": "F", "TU": "F U", "TT": "T",
	}
	for _, p := range []phases.Phase{phases.UpdatePrepared, phases.UpdateExecuted, phases.UpdatePostActionComplete,
		phases.RebootedNode, phases.Resumed, phases.UpdateComplete} {
		for move, want := range want {
			t.Run(string(p)+" "+move, func(t *testing.T) {
				list := statusMap{p: letters[move[:1]], phases.Cordoned: done, phases.Uncordoned: done}.list(false)
				r := report(p, letters[move[1:]], completing, func(r *request) { r.ParentMessage = "nobody" })
				if want == "rejected" {
					var rejection *phases.TransitionError
					require.ErrorAs(t, rejected(t, list, false, r), &rejection)
					return
				}
				var got []string
				for _, w := range next(t, list, false, r) {
					got = append(got, string(status(w, string(p))[0]))
					assert.Equal(t, without(list, p), without(w, p), "other conditions changed")
				}
				assert.Equal(t, want, strings.Join(got, " "))
			})
		}
	}
}

// True means complete, for the parent's own report too.
func TestAParentOfARunningChildDoesNotTurnTrue(t *testing.T) {
	for _, from := range statuses {
		list := statusMap{phases.UpdateExecuted: from, phases.Drained: running}.list(false)
		var rejection *phases.TransitionError
		require.ErrorAs(t, rejected(t, list, false, report(phases.UpdateExecuted, done)), &rejection)
		assert.Equal(t, phases.TransitionError{Phase: phases.UpdateExecuted, From: from, To: done, Child: phases.Drained}, *rejection)
	}
}

func TestASingletonChangesToAnyStatusAndMovesNoOtherPhase(t *testing.T) {
	for _, updated := range statuses {
		for _, p := range singletons {
			for _, from := range statuses {
				for _, to := range statuses {
					t.Run(fmt.Sprintf("%s %s to %s, Updated %s", p, from, to, updated), func(t *testing.T) {
						p := phases.Phase(p)
						list := statusMap{p: from, phases.Updated: updated, phases.Drained: running}.list(false)

						writes := next(t, list, false, report(p, to))

						require.Len(t, writes, 1)
						assert.Equal(t, to, condition(t, writes[0], p).Status)
						assert.Equal(t, without(list, p), without(writes[0], p))
					})
				}
			}
		}
	}
}

func TestARepeatOfAChildKeepsTheMessageThatAnotherChildGaveTheParent(t *testing.T) {
	drained := report(phases.Drained, running)
	list := next(t, nil, false, drained)[0]
	list = next(t, list, false, report(phases.AppliedFilesAndOS, running))[0]

	assert.Nil(t, next(t, list, false, drained))
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
