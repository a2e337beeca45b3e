package conditions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// play returns the list after reports.
func play(t *testing.T, list []metav1.Condition, imageMode bool, reports ...request) []metav1.Condition {
	t.Helper()
	for _, r := range reports {
		if writes := next(t, list, imageMode, r); len(writes) > 0 {
			list = writes[len(writes)-1]
		}
	}
	return list
}

// says returns a report of a phase with a message.
func says(p phases.Phase, s metav1.ConditionStatus, message string, change ...func(*request)) request {
	r := report(p, s, change...)
	r.Message = message
	return r
}

func named(update string) func(*request) { return func(r *request) { r.Name = update } }

// text returns the reason and the message of a phase.
func text(t *testing.T, list []metav1.Condition, p phases.Phase) string {
	t.Helper()
	c := condition(t, list, p)
	return c.Reason + ": " + c.Message
}

// A step that was not required keeps its message until the next update starts, however it starts.
func TestTheStartForgetsWhatWasNotRequired(t *testing.T) {
	ended := play(t, nil, false,
		report(phases.Updated, done), report(phases.Updated, no), report(phases.UpdatePrepared, done),
		says(phases.Drained, no, "Drain is not required"))
	for name, start := range map[string]request{
		"Updated=False":    report(phases.Updated, no, newTarget),
		"UpdatePrepared":   report(phases.UpdatePrepared, done, newTarget),
		"after its end":    report(phases.Updated, no),
		"by a disruption":  report(phases.AppliedFilesAndOS, running),
		"by one of itself": report(phases.Cordoned, done),
	} {
		t.Run(name, func(t *testing.T) {
			list := ended
			if !start.NewTarget {
				list = play(t, list, false, report(phases.Updated, done))
			}
			before := condition(t, list, phases.Drained)
			assert.Equal(t, "Drain is not required", before.Message)
			assert.Equal(t, neverRan(phases.Drained, before.LastTransitionTime), condition(t, play(t, list, false, start), phases.Drained))
		})
	}
}

// A node fails in the update to b, which c replaces. What the end of c says of the failure names b,
// unless the node has failed in c, too.
func TestTheUpdateInWhichANodeFailed(t *testing.T) {
	fails := says(phases.NodeDegraded, done, "disk full", named("b"))
	replaced := play(t, nil, false, report(phases.Updated, done), report(phases.Updated, no), fails,
		report(phases.Updated, no, newTarget, named("b")))
	degraded := condition(t, replaced, phases.NodeDegraded)
	assert.Equal(t, done, degraded.Status, "still degraded")

	ends := report(phases.Updated, done, named("c"))
	assert.Equal(t, prefix+"b: disk full", condition(t, play(t, replaced, false, ends), phases.NodeDegraded).Message)
	for _, message := range []string{"disk full", "no route"} {
		again := play(t, replaced, false, says(phases.NodeDegraded, done, message), ends)
		assert.Equal(t, prefix+"c: "+message, condition(t, again, phases.NodeDegraded).Message)
	}

	failed := play(t, nil, false, report(phases.Updated, done), fails)
	for name, list := range map[string][]metav1.Condition{
		"between updates": failed,
		"never updated":   play(t, nil, false, fails),
	} {
		started := play(t, list, false, report(phases.Updated, no, newTarget, named("a")))
		assert.Equal(t, condition(t, list, phases.NodeDegraded), condition(t, started, phases.NodeDegraded), name)
	}
}
