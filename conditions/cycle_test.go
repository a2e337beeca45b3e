package conditions_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// midway is an update under way: what was prepared, what runs, what a last update left,
// what never ran, and singletons that have something to say.
func midway(imageMode bool, changes statusMap) []metav1.Condition {
	m := statusMap{
		phases.UpdatePrepared: done, phases.UpdateExecuted: running, phases.Cordoned: done, phases.Drained: running,
		phases.Resumed: no, phases.Uncordoned: no, phases.Updated: no,
		phases.NodeDegraded: done, phases.PinnedImageSetsProgressing: running, phases.PinnedImageSetsDegraded: no,
	}
	for p, s := range changes {
		m[p] = s
	}
	list := m.list(imageMode)
	for i := range list {
		if list[i].Type == string(phases.Uncordoned) {
			list[i].Message = prefix + lastUpdate + ": ran Uncordoned"
		}
	}
	return list
}

// taken says what a phase says when it was taken back.
var taken = map[phases.Phase]string{
	phases.UpdateExecuted:           prefix + thisUpdate + ": ran UpdateExecuted",
	phases.Cordoned:                 prefix + thisUpdate + ": ran Cordoned",
	phases.Drained:                  prefix + thisUpdate + ": ran Drained",
	phases.Resumed:                  prefix + thisUpdate + ": ran Resumed", // reported False: it ran
	phases.Uncordoned:               prefix + lastUpdate + ": ran Uncordoned",
	phases.UpdateComplete:           "This node has not yet entered the UpdateComplete phase",
	phases.RebootedNode:             "This node has not yet entered the RebootedNode phase",
	phases.UpdatePostActionComplete: "This node has not yet entered the UpdatePostActionComplete phase",
}

func assertTaken(t *testing.T, before, after []metav1.Condition) {
	t.Helper()
	for p, message := range taken {
		b, a := condition(t, before, p), condition(t, after, p)
		assert.Equal(t, no, a.Status, p)
		assert.Equal(t, b.Reason, a.Reason, p)
		assert.Equal(t, message, a.Message, p)
		if b.Status == no {
			assert.Equal(t, earlier, a.LastTransitionTime, p)
		} else {
			assert.Equal(t, now, a.LastTransitionTime, p)
		}
	}
	for _, p := range singletons {
		p := phases.Phase(p)
		assert.Equal(t, condition(t, before, p), condition(t, after, p), "an update took a singleton along")
	}
}

func TestBegin(t *testing.T) {
	for name, tc := range map[string]struct {
		updated, prepared metav1.ConditionStatus
		newTarget         bool
		writes            []metav1.ConditionStatus // of UpdatePrepared
	}{
		"Updated was True":                              {done, no, false, []metav1.ConditionStatus{running}},
		"Updated was True, preparing":                   {done, running, false, []metav1.ConditionStatus{running}},
		"Updated was True, prepared":                    {done, done, false, []metav1.ConditionStatus{no, running}},
		"Updated was True, for another target":          {done, no, true, []metav1.ConditionStatus{running}},
		"for another target":                            {no, no, true, []metav1.ConditionStatus{running}},
		"for another target, preparing":                 {no, running, true, []metav1.ConditionStatus{running}},
		"for another target, prepared":                  {no, done, true, []metav1.ConditionStatus{no, running}},
		"for another target, Updated Unknown, prepared": {running, done, true, []metav1.ConditionStatus{no, running}},
	} {
		for _, imageMode := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				list := midway(imageMode, statusMap{phases.Updated: tc.updated, phases.UpdatePrepared: tc.prepared})
				r := report(phases.Updated, no)
				r.NewTarget = tc.newTarget

				writes := next(t, list, imageMode, r)

				require.Len(t, writes, len(tc.writes))
				for i, w := range writes {
					assert.Equal(t, tc.writes[i], status(w, "UpdatePrepared"))
					assert.Equal(t, no, status(w, "Updated"), "every write shows that the update began")
					assertTaken(t, list, w)
				}
				last := writes[len(writes)-1]
				updated, prepared := condition(t, last, phases.Updated), condition(t, last, phases.UpdatePrepared)
				assert.Equal(t, []string{"SaidUpdated", "about Updated"}, []string{updated.Reason, updated.Message})
				assert.Equal(t, []string{"UpdatePrepared", "about Updated"}, []string{prepared.Reason, prepared.Message})
				if len(writes) > 1 {
					back := condition(t, writes[0], phases.UpdatePrepared)
					assert.Equal(t, prefix+thisUpdate+": ran UpdatePrepared", back.Message)
				}
			})
		}
	}
}

func TestBeginRepeated(t *testing.T) {
	for _, change := range []func(*conditions.Report){func(*conditions.Report) {}, newTarget} {
		first := report(phases.Updated, no, change)
		writes := next(t, midway(false, statusMap{phases.Updated: done}), false, first)
		list := writes[len(writes)-1]

		assert.Nil(t, next(t, list, false, report(phases.Updated, no, change, later)))
		assert.Nil(t, next(t, list, false, report(phases.Updated, no, later)))
	}
}

// The daemon repeats the begin at each sync: whatever the update has come to meanwhile stays.
func TestBeginRepeatedInTheUpdate(t *testing.T) {
	for _, prepared := range statuses {
		for _, r := range []conditions.Report{report(phases.Updated, no), report(phases.Updated, no, completing)} {
			list := midway(false, statusMap{phases.UpdatePrepared: prepared})

			writes := next(t, list, false, r)

			require.Len(t, writes, 1)
			assert.Equal(t, without(list, phases.Updated), without(writes[0], phases.Updated))
			assert.Equal(t, earlier, condition(t, writes[0], phases.Updated).LastTransitionTime)
			assert.Nil(t, next(t, writes[0], false, r))
		}
	}
}

// A begin of two writes of which only the first was made: the same report goes on.
func TestBeginGoesOn(t *testing.T) {
	r := report(phases.Updated, no, newTarget)
	writes := next(t, midway(false, nil), false, r)
	require.Len(t, writes, 2)

	goesOn := next(t, writes[0], false, report(phases.Updated, no, begun))
	assert.Equal(t, writes[1:], goesOn)
	assert.Nil(t, next(t, writes[0], false, report(phases.Updated, no)), "only a report that has begun it")
	assert.Nil(t, next(t, writes[1], false, report(phases.Updated, no, begun)))

	prepared := next(t, writes[1], false, report(phases.UpdatePrepared, done))[0]
	assert.Nil(t, next(t, prepared, false, report(phases.Updated, no, begun)), "what runs, or ran, is not started again")
}

func TestBeginOnAnEmptyList(t *testing.T) {
	writes := next(t, nil, false, report(phases.Updated, no))
	require.Len(t, writes, 1)
	assert.Equal(t, no, status(writes[0], "UpdatePrepared"), "a missing Updated counts as False: a repeat")

	writes = next(t, nil, false, report(phases.Updated, no, newTarget))
	require.Len(t, writes, 1)
	assert.Equal(t, running, status(writes[0], "UpdatePrepared"))
}

func TestDisruption(t *testing.T) {
	for name, tc := range map[string]struct {
		phase    phases.Phase
		status   metav1.ConditionStatus
		statuses []statusMap // what is not False, in each write
	}{
		"child runs": {phases.Drained, running, []statusMap{
			{phases.Drained: running, phases.UpdateExecuted: running},
		}},
		"child done": {phases.Drained, done, []statusMap{
			{phases.Drained: running, phases.UpdateExecuted: running},
			{phases.Drained: done, phases.UpdateExecuted: running},
		}},
		"parent runs":  {phases.RebootedNode, running, []statusMap{{phases.RebootedNode: running}}},
		"parent done":  {phases.UpdateExecuted, done, []statusMap{{phases.UpdateExecuted: running}, {phases.UpdateExecuted: done}}},
		"preparing":    {phases.UpdatePrepared, running, []statusMap{{phases.UpdatePrepared: running}}},
		"prepared":     {phases.UpdatePrepared, done, []statusMap{{phases.UpdatePrepared: running}, {phases.UpdatePrepared: done}}},
		"post actions": {phases.UpdatePostActionComplete, running, []statusMap{{phases.UpdatePostActionComplete: running}}},
	} {
		t.Run(name, func(t *testing.T) {
			list := statusMap{phases.Updated: done, phases.Cordoned: no, phases.NodeDegraded: done}.list(false)

			writes := next(t, list, false, report(tc.phase, tc.status))

			require.Len(t, writes, len(tc.statuses))
			for i, w := range writes {
				for _, c := range w {
					want, ok := tc.statuses[i][phases.Phase(c.Type)]
					switch {
					case c.Type == "NodeDegraded":
						want = done
					case !ok:
						want = no
					}
					assert.Equal(t, want, c.Status, c.Type)
				}
				updated := condition(t, w, phases.Updated)
				assert.Equal(t, []string{"Updated", disruption}, []string{updated.Reason, updated.Message})
				assert.Equal(t, now, updated.LastTransitionTime)
				assert.Equal(t, prefix+thisUpdate+": ran Cordoned", condition(t, w, phases.Cordoned).Message)
			}
			assert.Nil(t, next(t, writes[len(writes)-1], false, report(tc.phase, tc.status, later)))
		})
	}
}

// An object that says Updated beside phases that ran (another writer's) has no such phase
// taken over into the update that begins.
func TestDisruptionTakesBackWhatWasLeft(t *testing.T) {
	list := midway(false, statusMap{phases.Updated: done})

	writes := next(t, list, false, report(phases.RebootedNode, running))

	require.Len(t, writes, 2, "what ran is taken back by a write that takes all back")
	for _, p := range []phases.Phase{phases.UpdateExecuted, phases.Cordoned, phases.Drained} {
		assert.Equal(t, no, condition(t, writes[0], p).Status, p)
		assert.Equal(t, taken[p], condition(t, writes[0], p).Message)
	}
}

// A phase that was left running, in a parent that was left done, starts again: its time is
// that of the new start.
func TestDisruptionStartsAgainWhatWasLeftRunning(t *testing.T) {
	list := statusMap{phases.Updated: done, phases.Drained: running, phases.UpdateExecuted: done}.list(false)
	want := [][]metav1.ConditionStatus{{no, no}, {running, running}, {done, running}}

	for to, count := range map[metav1.ConditionStatus]int{running: 2, done: 3} {
		writes := next(t, list, false, report(phases.Drained, to))

		require.Len(t, writes, count)
		for i, w := range writes {
			assert.Equal(t, want[i], pair(w, "Drained", "UpdateExecuted"))
			assert.Equal(t, now, condition(t, w, phases.Drained).LastTransitionTime)
		}
	}
}

func TestDisruptionCompletesParent(t *testing.T) {
	list := statusMap{phases.Updated: done}.list(false)

	writes := next(t, list, false, report(phases.AppliedFilesAndOS, done, completing))

	require.Len(t, writes, 2)
	assert.Equal(t, []metav1.ConditionStatus{running, running}, pair(writes[0], "AppliedFilesAndOS", "UpdateExecuted"))
	assert.Equal(t, []metav1.ConditionStatus{done, done}, pair(writes[1], "AppliedFilesAndOS", "UpdateExecuted"))
}

func pair(list []metav1.Condition, a, b string) []metav1.ConditionStatus {
	return []metav1.ConditionStatus{status(list, a), status(list, b)}
}

// The pool must not flap because a daemon pod restarted.
func TestRestart(t *testing.T) {
	for _, p := range restarts {
		p := phases.Phase(p)
		for _, to := range statuses {
			t.Run(string(p)+" "+string(to), func(t *testing.T) {
				list := statusMap{phases.Updated: done}.list(false)
				r := report(p, to)

				writes := next(t, list, false, r)

				require.Len(t, writes, 1)
				for i, c := range writes[0] {
					assert.Equal(t, list[i].Status, c.Status, c.Type)
					assert.Equal(t, earlier, c.LastTransitionTime, c.Type)
				}
				c := condition(t, writes[0], p)
				assert.Equal(t, []string{r.Reason, r.Message}, []string{c.Reason, c.Message})
				assert.Nil(t, next(t, writes[0], false, r))
			})
		}
	}
}

// The parent's words are refreshed with the child's, once: a repeat leaves them to the parent.
func TestRestartSpeaksForParent(t *testing.T) {
	child := report(phases.Uncordoned, done, completing)
	list := next(t, statusMap{phases.Updated: done}.list(false), false, child)[0]
	parent := condition(t, list, phases.UpdateComplete)
	assert.Equal(t, []string{"Uncordoned", child.Message}, []string{parent.Reason, parent.Message})

	list = next(t, list, false, report(phases.UpdateComplete, done))[0]
	assert.Nil(t, next(t, list, false, child))

	writes := next(t, list, false, report(phases.Uncordoned, done, func(r *conditions.Report) { r.Message = "uncordoned" }))
	require.Len(t, writes, 1)
	assert.Equal(t, without(list, phases.Uncordoned), without(writes[0], phases.Uncordoned))
}

// What a restart said belongs to the last update when the next one begins.
func TestRestartGetsThePrefixOnce(t *testing.T) {
	list := next(t, statusMap{phases.Updated: done}.list(false), false, report(phases.Resumed, done))[0]

	list = next(t, list, false, report(phases.Updated, no, func(r *conditions.Report) { r.Update = lastUpdate }))[0]
	assert.Equal(t, prefix+lastUpdate+": about Resumed", condition(t, list, phases.Resumed).Message)

	list = next(t, list, false, report(phases.Updated, done))[0]
	assert.Equal(t, prefix+lastUpdate+": about Resumed", condition(t, list, phases.Resumed).Message)
}

// "A report of False on another phase changes its reason and message only."
func TestFalseBetweenUpdates(t *testing.T) {
	for _, p := range phases.All(false) {
		if !phases.OfCycle(p) {
			continue
		}
		for _, from := range statuses {
			t.Run(string(p)+" "+string(from), func(t *testing.T) {
				list := statusMap{phases.Updated: done, p: from}.list(false)
				r := report(p, no, func(r *conditions.Report) { r.ParentMessage = "to the parent" })

				writes := next(t, list, false, r)

				require.Len(t, writes, 1)
				assert.Equal(t, without(list, p), without(writes[0], p), "it moved its parent, or ended the pause")
				c := condition(t, writes[0], p)
				assert.Equal(t, []string{string(from), r.Reason, r.Message}, []string{string(c.Status), c.Reason, c.Message})
			})
		}
	}
}

func TestEnd(t *testing.T) {
	for _, imageMode := range []bool{false, true} {
		for _, updated := range []metav1.ConditionStatus{no, running} {
			list := midway(imageMode, statusMap{phases.Updated: updated})

			writes := next(t, list, imageMode, report(phases.Updated, done, newTarget))

			require.Len(t, writes, 1)
			assertTaken(t, list, writes[0])
			assert.Equal(t, prefix+thisUpdate+": ran UpdatePrepared", condition(t, writes[0], phases.UpdatePrepared).Message)
			assert.Equal(t, now, condition(t, writes[0], phases.Updated).LastTransitionTime)
		}
	}
}

// What ran is told by the status, whatever its reason says.
func TestEndOfWhatRanWithTheDefaultReason(t *testing.T) {
	for _, s := range []metav1.ConditionStatus{running, done} {
		list := statusMap{phases.Drained: s}.list(false)
		for i := range list {
			list[i].Reason = conditions.ReasonNotYetOccurred
		}

		drained := condition(t, next(t, list, false, report(phases.Updated, done))[0], phases.Drained)

		assert.Equal(t, no, drained.Status)
		assert.Equal(t, prefix+thisUpdate+": ran Drained", drained.Message)
	}
}

// "A repeat of True is no End": what a restart said keeps its words.
func TestEndRepeated(t *testing.T) {
	list := next(t, midway(false, nil), false, report(phases.Updated, done))[0]
	assert.Nil(t, next(t, list, false, report(phases.Updated, done, later)))

	list = next(t, list, false, report(phases.Resumed, done))[0]
	again := report(phases.Updated, done, func(r *conditions.Report) { r.Message = "still updated" })
	writes := next(t, list, false, again)

	require.Len(t, writes, 1)
	assert.Equal(t, without(list, phases.Updated), without(writes[0], phases.Updated))
	assert.Equal(t, "still updated", condition(t, writes[0], phases.Updated).Message)
}

// Two whole updates: a message never names two of them.
func TestNeverTwoPrefixes(t *testing.T) {
	list := []metav1.Condition(nil)
	for _, update := range []string{"a", "b", "c"} {
		in := func(r *conditions.Report) { r.Update, r.NewTarget = update, true }
		reports := []conditions.Report{report(phases.Updated, no, in), report(phases.UpdatePrepared, done, in)}
		if update != "c" {
			reports = append(reports, report(phases.Drained, done, in))
		}
		for _, r := range append(reports, report(phases.Updated, no, in), report(phases.Updated, done, in)) {
			for _, list = range next(t, list, false, r) {
				for _, c := range list {
					assert.LessOrEqual(t, strings.Count(c.Message, prefix), 1, c.Message)
				}
			}
		}
	}
	assert.Equal(t, prefix+"b: about Drained", condition(t, list, phases.Drained).Message)
	assert.Equal(t, prefix+"c: about Updated", condition(t, list, phases.UpdatePrepared).Message)
}
