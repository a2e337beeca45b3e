package conditions_test

import (
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

func TestMessagesOfARestartGetThePrefixOfTheLastUpdate(t *testing.T) {
	list := next(t, statusMap{phases.Updated: done}.list(false), false, report(phases.Resumed, done, func(r *request) { r.Name = lastUpdate }))[0]
	assert.Equal(t, prefix+lastUpdate+": about Resumed", condition(t, list, phases.Resumed).Message)

	list = next(t, list, false, report(phases.Updated, no))[0]
	assert.Equal(t, prefix+lastUpdate+": about Resumed", condition(t, list, phases.Resumed).Message)

	list = next(t, list, false, report(phases.Updated, done))[0]
	assert.Equal(t, prefix+lastUpdate+": about Resumed", condition(t, list, phases.Resumed).Message)
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
