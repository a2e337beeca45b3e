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
	drain := notRequired(phases.Drained, "Drain is not required", func(r *request) { r.ParentMessage = "to the parent" })
	cordoned := play(t, started, false, says(phases.Cordoned, done, "Cordoned"))
	applied := play(t, started, false, says(phases.AppliedFilesAndOS, done, "Applied", completesParent))
	drains := play(t, started, false, says(phases.Drained, running, "Draining"))
	for name, tc := range map[string]struct {
		list []metav1.Condition
		want string
	}{
		"a parent that is Unknown": {cordoned, "Cordoned: Cordoned"},
		"a parent that is True":    {applied, "AppliedFilesAndOS: Applied"},
		"a parent that is False":   {started, "Drained: to the parent"},
		"a step that ran":          {drains, "Drained: to the parent"},
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
