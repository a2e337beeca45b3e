package transitions_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
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

func notRequired(p phases.Phase, message string, change ...func(*request)) request {
	r := says(p, "", message, change...)
	r.NotRequired = true
	return r
}

func completesParent(r *request) { r.CompletesParent = true }

// Between updates, only a message that has the prefix keeps the name of its update.
func TestAMessageWithoutPrefixIsReplaced(t *testing.T) {
	list := play(t, nil, false, report(phases.Updated, done), says(phases.Uncordoned, no, "uncordon: failed"),
		says(phases.Uncordoned, running, "failed", named("b")))
	assert.Equal(t, prefix+"b: failed", condition(t, list, phases.Uncordoned).Message)
}

// A step that never ran, and is not required, gives its parent a text only if the parent starts with it.
func TestNotRequiredChangesNoMessageOfTheParent(t *testing.T) {
	started := play(t, nil, false, report(phases.Updated, done), report(phases.Updated, no))
	drain := notRequired(phases.Drained, "Drain is not required")
	cordoned := play(t, started, false, says(phases.Cordoned, done, "Cordoned"))
	applied := play(t, started, false, says(phases.AppliedFilesAndOS, done, "Applied", completesParent))
	drains := play(t, started, false, says(phases.Drained, running, "Draining"))
	for name, tc := range map[string]struct {
		list []metav1.Condition
		want string
	}{
		"a parent that is Unknown": {cordoned, "Cordoned: Cordoned"},
		"a parent that is True":    {applied, "AppliedFilesAndOS: Applied"},
		"a parent that is False":   {started, "Drained: Drain is not required"},
		"a step that ran":          {drains, "Drained: Drain is not required"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, text(t, play(t, tc.list, false, drain), phases.UpdateExecuted))
		})
	}
	list := play(t, cordoned, false, says(phases.Drained, no, "Drain is not required"))
	assert.Equal(t, "Drained: Drain is not required", text(t, list, phases.UpdateExecuted), "a report of False is as any other")
}

// Image mode, and only units change: no child of UpdateExecuted runs.
func TestNotRequiredCompletesAParent(t *testing.T) {
	started := play(t, nil, true, report(phases.Updated, done), report(phases.Updated, no), report(phases.UpdatePrepared, done))
	last := notRequired(phases.AppliedFiles, "No files change", completesParent)
	all := []request{notRequired(phases.Cordoned, "No cordon"), notRequired(phases.Drained, "No drain"),
		notRequired(phases.ImagePulledFromRegistry, "No image"), notRequired(phases.AppliedOSImage, "No image")}
	for name, tc := range map[string]struct {
		reports []request
		want    metav1.ConditionStatus
	}{
		"nothing was reported":   {nil, done},
		"nothing is required":    {all, done},
		"others are done":        {[]request{report(phases.Cordoned, done), report(phases.Drained, done)}, done},
		"another one is Unknown": {[]request{report(phases.Drained, running)}, running},
	} {
		t.Run(name, func(t *testing.T) {
			list := play(t, started, true, append(tc.reports, last)...)
			assert.Equal(t, tc.want, condition(t, list, phases.UpdateExecuted).Status)
			assert.Equal(t, no, condition(t, list, phases.AppliedFiles).Status)
			assert.Equal(t, "No files change", condition(t, list, phases.AppliedFiles).Message)
		})
	}
	ended := play(t, started, true, last, report(phases.Updated, done))
	assert.Nil(t, next(t, ended, true, last), "it starts no update")
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

// While a child is Unknown, and may have failed, its parent shows its text after another child has turned True.
func TestAParentKeepsTheCauseOfAFailure(t *testing.T) {
	failed := play(t, nil, true, report(phases.Updated, done), report(phases.Updated, no),
		says(phases.AppliedOSImage, running, "disk full"))
	pull := says(phases.ImagePulledFromRegistry, done, "Pulled the old image")
	const cause, pulling = "AppliedOSImage: disk full", "ImagePulledFromRegistry: Pulling the old image"
	retry := says(phases.AppliedOSImage, running, "no space")
	for name, tc := range map[string]struct {
		reports []request
		want    string
	}{
		"done at once":          {[]request{pull}, cause},
		"it runs":               {[]request{says(phases.ImagePulledFromRegistry, running, "Pulling the old image")}, pulling},
		"it ran":                {[]request{says(phases.ImagePulledFromRegistry, running, "Pulling the old image"), pull}, cause},
		"with CompletesParent":  {[]request{says(phases.AppliedFiles, done, "Applied", completesParent)}, cause},
		"not required any more": {[]request{says(phases.AppliedFiles, running, "Applying"), notRequired(phases.AppliedFiles, "No files")}, cause},
		"the cause is over":     {[]request{pull, says(phases.AppliedOSImage, done, "Applied")}, "AppliedOSImage: Applied"},
		"two, the last report":  {[]request{says(phases.AppliedFiles, running, "Applying"), retry, pull}, "AppliedOSImage: no space"},
		"two, the first child":  {[]request{says(phases.Drained, running, "no space"), pull, says(phases.Drained, done, "Drained"), pull}, cause},
	} {
		t.Run(name, func(t *testing.T) {
			list := play(t, failed, true, tc.reports...)
			assert.Equal(t, tc.want, text(t, list, phases.UpdateExecuted))
			assert.Equal(t, running, condition(t, list, phases.UpdateExecuted).Status)
		})
	}
}

// A late report of True has its message for the parent: only a late report of Unknown leaves the parent as it is.
func TestALateReportOfTrueChangesTheMessageOfTheParent(t *testing.T) {
	list := midway(false, statusMap{phases.UpdateExecuted: done, phases.Drained: done})
	conditions.Find(list, phases.UpdateExecuted).LastTransitionTime = now
	late := func(r *request) { r.Time, r.CompletesParent = earlier, true }
	list = play(t, list, false, says(phases.Drained, done, "Drained", late))
	assert.Equal(t, "Drained: Drained", text(t, list, phases.UpdateExecuted))
}

// A step that was not required says so until its next report, with the prefix of its update, however that
// update ends or is replaced. Only a step that was never reported says so.
func TestWhatWasNotRequiredIsRemembered(t *testing.T) {
	skipped := play(t, nil, false,
		report(phases.Updated, done), report(phases.Updated, no, named("b")), report(phases.UpdatePrepared, done),
		notRequired(phases.Drained, "Drain is not required"))
	for name, change := range map[string]request{
		"it ends":              report(phases.Updated, done, named("b")),
		"it is replaced":       report(phases.Updated, no, newTarget, named("b")),
		"it is replaced later": report(phases.UpdatePrepared, done, newTarget, named("b")),
	} {
		list := play(t, skipped, false, change)
		assert.Equal(t, "ReportedDrained: "+prefix+"b: Drain is not required", text(t, list, phases.Drained), name)
		assert.Equal(t, "NotYetOccurred", condition(t, list, phases.Cordoned).Reason, name)
		list = play(t, list, false, report(phases.Updated, done, named("c")), report(phases.Updated, no, named("c")))
		assert.Equal(t, "ReportedDrained: "+prefix+"b: Drain is not required", text(t, list, phases.Drained), name)
	}
}

func TestEndAddsOnePrefix(t *testing.T) {
	fits := strings.Repeat("a", 4096-len(prefix+"b: "))
	for name, tc := range map[string]struct{ message, update, want string }{
		"plain":             {"drained", "b", "Action during update to b: drained"},
		"empty":             {"", "b", "Action during update to b: "},
		"image mode off":    {"drained", "disable image mode", "Action during update to disable image mode: drained"},
		"prefixed":          {"Action during update to a: drained", "b", "Action during update to a: drained"},
		"prefixed the same": {"Action during update to b: drained", "b", "Action during update to b: drained"},
		"at the limit":      {fits, "b", prefix + "b: " + fits},
		"over the limit":    {fits + "a", "b", conditions.TruncateTo(prefix+"b: "+fits+"a", 4096)},
		"prefixed, over":    {prefix + "a: " + fits + "a", "b", conditions.TruncateTo(prefix+"a: "+fits+"a", 4096)},
		"later in the text": {"see Action during update to a", "b", "Action during update to b: see Action during update to a"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, prefixed(tc.message, tc.update))
		})
	}
}
