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

// midway returns a list during an update: phases that are done, running, reset by the last
// update, or never ran, and singletons with messages.
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

// afterReset is the message of a phase after its reset.
var afterReset = map[phases.Phase]string{
	phases.UpdateExecuted:           prefix + thisUpdate + ": ran UpdateExecuted",
	phases.Cordoned:                 prefix + thisUpdate + ": ran Cordoned",
	phases.Drained:                  prefix + thisUpdate + ": ran Drained",
	phases.Resumed:                  "ran Resumed", // reported False: it was not required
	phases.Uncordoned:               prefix + lastUpdate + ": ran Uncordoned",
	phases.UpdateComplete:           "This node has not yet entered the UpdateComplete phase",
	phases.RebootedNode:             "This node has not yet entered the RebootedNode phase",
	phases.UpdatePostActionComplete: "This node has not yet entered the UpdatePostActionComplete phase",
}

func assertReset(t *testing.T, before, after []metav1.Condition) {
	t.Helper()
	for p, message := range afterReset {
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
	ended := condition(t, after, phases.Updated).Status == done
	for _, p := range singletons {
		p := phases.Phase(p)
		if ended && p == phases.NodeDegraded {
			continue // see TestEndClearsNodeDegraded
		}
		assert.Equal(t, condition(t, before, p), condition(t, after, p), "only its own report changes a singleton")
	}
}

func TestEndClearsNodeDegradedInTheSameWrite(t *testing.T) {
	for _, s := range statuses {
		list := midway(false, statusMap{phases.NodeDegraded: s})
		degraded := condition(t, list, phases.NodeDegraded)

		writes := next(t, list, false, report(phases.Updated, done))

		require.Len(t, writes, 1)
		want := degraded
		if s == done {
			want.Status, want.LastTransitionTime = no, now
			want.Message = prefix + thisUpdate + ": " + degraded.Message
		}
		assert.Equal(t, want, condition(t, writes[0], phases.NodeDegraded), s)
	}
}

func TestUpdatePreparedForAnotherTargetBeginsAnUpdate(t *testing.T) {
	for _, to := range []metav1.ConditionStatus{running, done} {
		for _, prepared := range statuses {
			list := midway(false, statusMap{phases.UpdatePrepared: prepared, phases.Updated: no})
			writes := next(t, list, false, report(phases.UpdatePrepared, to, newTarget))
			last := writes[len(writes)-1]
			assert.Equal(t, to, status(last, "UpdatePrepared"))
			assert.Equal(t, no, status(last, "UpdateExecuted"), "what ran is reset")
			assert.Equal(t, condition(t, list, phases.Updated), condition(t, last, phases.Updated), "Updated stays False")
			again := report(phases.UpdatePrepared, to)
			assert.Nil(t, next(t, last, false, again), "a repeat")
		}
	}
	list := midway(false, statusMap{phases.UpdatePrepared: no, phases.Updated: no})
	writes := next(t, list, false, report(phases.UpdatePrepared, no, newTarget))
	assert.Equal(t, status(list, "Drained"), status(writes[0], "Drained"), "False begins no update")
}

// The clock of this process may be behind that of another one.
func TestLastTransitionTimeNeverDecreases(t *testing.T) {
	list := statusMap{phases.Drained: running, phases.UpdateExecuted: running}.list(false)
	for i := range list {
		list[i].LastTransitionTime = metav1.NewTime(now.Add(secondsOf(60)))
	}
	drained := condition(t, next(t, list, false, report(phases.Drained, done))[0], phases.Drained)
	assert.Equal(t, done, drained.Status)
	assert.Equal(t, list[0].LastTransitionTime, drained.LastTransitionTime)
}

func TestBeginResetsAllPhasesAndStartsUpdatePrepared(t *testing.T) {
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
					assertReset(t, list, w)
				}
				last := writes[len(writes)-1]
				assert.Equal(t, no, status(last, "Updated"))
				if len(writes) > 1 {
					assert.Equal(t, condition(t, list, phases.Updated), condition(t, writes[0], phases.Updated), "a reset and nothing else")
				}
				updated, prepared := condition(t, last, phases.Updated), condition(t, last, phases.UpdatePrepared)
				assert.Equal(t, []string{"ReportedUpdated", "about Updated"}, []string{updated.Reason, updated.Message})
				assert.Equal(t, []string{"UpdatePrepared", "about Updated"}, []string{prepared.Reason, prepared.Message})
				if len(writes) > 1 {
					back := condition(t, writes[0], phases.UpdatePrepared)
					assert.Equal(t, prefix+thisUpdate+": ran UpdatePrepared", back.Message)
				}
			})
		}
	}
}

// Another client has made it Unknown.
func TestAnUpdatedThatIsUnknownGetsTheStatusThatIsReported(t *testing.T) {
	list := midway(false, statusMap{phases.Updated: running})

	begun := next(t, list, false, report(phases.Updated, no))
	require.Len(t, begun, 1)
	assert.Equal(t, without(list, phases.Updated), without(begun[0], phases.Updated), "the update goes on")
	updated := condition(t, begun[0], phases.Updated)
	assert.Equal(t, metav1.Condition{Type: "Updated", Status: no, Reason: "ReportedUpdated", Message: "about Updated", LastTransitionTime: now}, updated)

	ended := next(t, list, false, report(phases.Updated, done))
	require.Len(t, ended, 1)
	assert.Equal(t, done, status(ended[0], "Updated"))
	assertReset(t, list, ended[0])
}

func TestARepeatedBeginWritesNothing(t *testing.T) {
	for _, change := range []func(*request){func(*request) {}, newTarget} {
		first := report(phases.Updated, no, change)
		writes := next(t, midway(false, statusMap{phases.Updated: done}), false, first)
		list := writes[len(writes)-1]

		assert.Nil(t, next(t, list, false, report(phases.Updated, no, change, later)))
		assert.Nil(t, next(t, list, false, report(phases.Updated, no, later)))
	}
}

// The daemon repeats the begin at each sync.
func TestARepeatedBeginKeepsTheStateOfTheUpdate(t *testing.T) {
	for _, prepared := range statuses {
		for _, r := range []request{report(phases.Updated, no), report(phases.Updated, no, completing)} {
			list := midway(false, statusMap{phases.UpdatePrepared: prepared})

			writes := next(t, list, false, r)

			require.Len(t, writes, 1)
			assert.Equal(t, without(list, phases.Updated), without(writes[0], phases.Updated))
			assert.Equal(t, earlier, condition(t, writes[0], phases.Updated).LastTransitionTime)
			assert.Nil(t, next(t, writes[0], false, r))
		}
	}
}

// The first of the two writes that begin an update resets the phases and changes nothing else:
// planned again, the same report leads to the second.
func TestABeginningThatIsInterrupted(t *testing.T) {
	r := report(phases.Updated, no, newTarget)
	writes := next(t, midway(false, nil), false, r)
	require.Len(t, writes, 2)

	assert.Equal(t, condition(t, midway(false, nil), phases.Updated), condition(t, writes[0], phases.Updated))
	assert.Equal(t, writes[1:], next(t, writes[0], false, r))
	assert.Nil(t, next(t, writes[1], false, report(phases.Updated, no)), "a repeat for the same target")
}

func TestBeginOnAnEmptyListWritesEveryCondition(t *testing.T) {
	writes := next(t, nil, false, report(phases.Updated, no))
	require.Len(t, writes, 1)
	assert.Equal(t, no, status(writes[0], "UpdatePrepared"), "a missing Updated counts as False: a repeat")

	writes = next(t, nil, false, report(phases.Updated, no, newTarget))
	require.Len(t, writes, 1)
	assert.Equal(t, running, status(writes[0], "UpdatePrepared"))
}

func TestAPhaseOfAnUpdateBetweenUpdatesBeginsOne(t *testing.T) {
	for name, tc := range map[string]struct {
		phase    phases.Phase
		status   metav1.ConditionStatus
		statuses []statusMap // other than False, in each write
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
				assert.Equal(t, "ran Cordoned", condition(t, w, phases.Cordoned).Message, "it was not required")
			}
			assert.Nil(t, next(t, writes[len(writes)-1], false, report(tc.phase, tc.status, later)))
		})
	}
}

// Another writer has left finished phases with Updated=True.
func TestADisruptionResetsPhasesOfEarlierUpdates(t *testing.T) {
	list := midway(false, statusMap{phases.Updated: done})

	writes := next(t, list, false, report(phases.RebootedNode, running))

	require.Len(t, writes, 2, "finished phases are reset by one write")
	for _, p := range []phases.Phase{phases.UpdateExecuted, phases.Cordoned, phases.Drained} {
		assert.Equal(t, no, condition(t, writes[0], p).Status, p)
		assert.Equal(t, afterReset[p], condition(t, writes[0], p).Message)
	}
}

// Another writer has left a phase Unknown below a parent that is True.
func TestADisruptionRestartsAPhaseThatWasLeftRunning(t *testing.T) {
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

func TestADisruptionMayCompleteTheParent(t *testing.T) {
	list := statusMap{phases.Updated: done}.list(false)

	writes := next(t, list, false, report(phases.AppliedFilesAndOS, done, completing))

	require.Len(t, writes, 2)
	assert.Equal(t, []metav1.ConditionStatus{running, running}, pair(writes[0], "AppliedFilesAndOS", "UpdateExecuted"))
	assert.Equal(t, []metav1.ConditionStatus{done, done}, pair(writes[1], "AppliedFilesAndOS", "UpdateExecuted"))
}

func pair(list []metav1.Condition, a, b string) []metav1.ConditionStatus {
	return []metav1.ConditionStatus{status(list, a), status(list, b)}
}

// The pool must not flap because a daemon Pod restarted.
func TestAReportOfARestartedDaemonChangesNoStatus(t *testing.T) {
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
				message := prefix + thisUpdate + ": " + r.Message
				if to == no { // it did not run
					message = r.Message
				}
				assert.Equal(t, []string{r.Reason, message}, []string{c.Reason, c.Message})
				assert.Nil(t, next(t, writes[0], false, r))
			})
		}
	}
}

func TestAReportOfARestartedDaemonRefreshesTheMessageOfTheParentOnce(t *testing.T) {
	child := report(phases.Uncordoned, done, completing)
	list := next(t, statusMap{phases.Updated: done}.list(false), false, child)[0]
	parent := condition(t, list, phases.UpdateComplete)
	assert.Equal(t, []string{"Uncordoned", prefix + thisUpdate + ": " + child.Message}, []string{parent.Reason, parent.Message})

	list = next(t, list, false, report(phases.UpdateComplete, done))[0]
	assert.Nil(t, next(t, list, false, child))

	writes := next(t, list, false, report(phases.Uncordoned, done, func(r *request) { r.Message = "uncordoned" }))
	require.Len(t, writes, 1)
	assert.Equal(t, without(list, phases.Uncordoned), without(writes[0], phases.Uncordoned))
}

func TestMessagesOfARestartGetThePrefixOfTheLastUpdate(t *testing.T) {
	list := next(t, statusMap{phases.Updated: done}.list(false), false, report(phases.Resumed, done, func(r *request) { r.Name = lastUpdate }))[0]
	assert.Equal(t, prefix+lastUpdate+": about Resumed", condition(t, list, phases.Resumed).Message)

	list = next(t, list, false, report(phases.Updated, no))[0]
	assert.Equal(t, prefix+lastUpdate+": about Resumed", condition(t, list, phases.Resumed).Message)

	list = next(t, list, false, report(phases.Updated, done))[0]
	assert.Equal(t, prefix+lastUpdate+": about Resumed", condition(t, list, phases.Resumed).Message)
}

func TestFalseBetweenUpdatesChangesReasonAndMessageOnly(t *testing.T) {
	for _, p := range phases.All(false) {
		if !phases.IsUpdateStep(p) {
			continue
		}
		for _, from := range statuses {
			t.Run(string(p)+" "+string(from), func(t *testing.T) {
				list := statusMap{phases.Updated: done, p: from}.list(false)
				r := report(p, no, func(r *request) { r.ParentMessage = "to the parent" })

				writes := next(t, list, false, r)

				require.Len(t, writes, 1)
				assert.Equal(t, without(list, p), without(writes[0], p), "its parent or Updated changed")
				c := condition(t, writes[0], p)
				assert.Equal(t, []string{string(from), r.Reason, r.Message}, []string{string(c.Status), c.Reason, c.Message})
			})
		}
	}
}

func TestEndResetsAllPhasesAndPrefixesTheirMessages(t *testing.T) {
	for _, imageMode := range []bool{false, true} {
		for _, updated := range []metav1.ConditionStatus{no, running} {
			list := midway(imageMode, statusMap{phases.Updated: updated})

			writes := next(t, list, imageMode, report(phases.Updated, done, newTarget))

			require.Len(t, writes, 1)
			assertReset(t, list, writes[0])
			assert.Equal(t, prefix+thisUpdate+": ran UpdatePrepared", condition(t, writes[0], phases.UpdatePrepared).Message)
			assert.Equal(t, now, condition(t, writes[0], phases.Updated).LastTransitionTime)
		}
	}
}

func TestAPhaseWithTheDefaultReasonRanIfItsStatusSaysSo(t *testing.T) {
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

// Whatever its reason is: a phase that is False was not required, or never reported.
func TestAPhaseThatDidNotRunGetsNoPrefix(t *testing.T) {
	for reason, reserved := range map[string]bool{"NotYetOccurred": true, "NotYetOccured": true, "UpdateExecutedDrained": false} {
		list := statusMap{phases.Updated: no}.list(false)
		for i := range list {
			list[i].Reason = reason
		}
		for _, to := range []metav1.ConditionStatus{no, done} {
			drained := condition(t, next(t, list, false, report(phases.Updated, to, newTarget))[0], phases.Drained)
			assert.Equal(t, condition(t, list, phases.Drained), drained, reason)
		}
		assert.Equal(t, reserved, conditions.IsReservedReason(reason))
	}
}

func TestARepeatedEndKeepsTheMessagesOfARestart(t *testing.T) {
	list := next(t, midway(false, nil), false, report(phases.Updated, done))[0]
	assert.Nil(t, next(t, list, false, report(phases.Updated, done, later)))

	list = next(t, list, false, report(phases.Resumed, done))[0]
	again := report(phases.Updated, done, func(r *request) { r.Message = "still updated" })
	writes := next(t, list, false, again)

	require.Len(t, writes, 1)
	assert.Equal(t, without(list, phases.Updated), without(writes[0], phases.Updated))
	assert.Equal(t, "still updated", condition(t, writes[0], phases.Updated).Message)
}

func TestAMessageNeverHasTwoPrefixes(t *testing.T) {
	list := []metav1.Condition(nil)
	for _, update := range []string{"a", "b", "c"} {
		in := func(r *request) { r.Cycle = conditions.Cycle{Name: update, NewTarget: true} }
		reports := []request{report(phases.Updated, no, in), report(phases.UpdatePrepared, done, in)}
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
