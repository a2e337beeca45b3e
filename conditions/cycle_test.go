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
	conditions.Find(list, phases.Uncordoned).Message = prefix + lastUpdate + ": ran Uncordoned"
	return list
}

// Reports that start or end an update, or that do not, and the letters of Updated, UpdatePrepared, Drained
// and NodeDegraded in each write.
func TestStartAndEndOfAnUpdate(t *testing.T) {
	ps := []phases.Phase{phases.Updated, phases.UpdatePrepared, phases.Drained, phases.NodeDegraded}
	for name, tc := range map[string]struct {
		updated, prepared string
		report            request
		writes            string
	}{
		"a start":                            {"T", "F", report(phases.Updated, no), "FUFT"},
		"a start, preparing":                 {"T", "U", report(phases.Updated, no), "FUFT"},
		"a start, prepared: a reset first":   {"T", "T", report(phases.Updated, no), "TFFT FUFT"},
		"another target":                     {"F", "F", report(phases.Updated, no, newTarget), "FUFT"},
		"another target, prepared":           {"F", "T", report(phases.Updated, no, newTarget), "FFFT FUFT"},
		"another target, Updated is Unknown": {"U", "T", report(phases.Updated, no, newTarget), "UFFT FUFT"},
		"a repeat":                           {"F", "T", report(phases.Updated, no), "FTUT"},
		"a start that is late":               {"T", "F", report(phases.Updated, no, ended), ""},
		"UpdatePrepared":                     {"F", "T", report(phases.UpdatePrepared, running, newTarget), "FFFT FUFT"},
		"UpdatePrepared is True":             {"F", "F", report(phases.UpdatePrepared, done, newTarget), "FUFT FTFT"},
		"UpdatePrepared is False":            {"F", "T", report(phases.UpdatePrepared, no, newTarget), "FFUT"},
		"UpdatePrepared, the same target":    {"F", "T", report(phases.UpdatePrepared, done), "FTUT"},
		"a disruption":                       {"T", "F", report(phases.Drained, running), "FFUT"},
		"a disruption that is done":          {"T", "F", report(phases.Drained, done), "FFUT FFTT"},
		"a disruption by a parent":           {"T", "F", report(phases.RebootedNode, running), "TFFT FFFT"},
		"a disruption that is late":          {"T", "F", report(phases.RebootedNode, running, ended), "TFUT"},
		"a report of a restart":              {"T", "F", report(phases.Resumed, done), "TFUT"},
		"an end":                             {"F", "T", report(phases.Updated, done, newTarget), "TFFF"},
		"an end, Updated is Unknown":         {"U", "T", report(phases.Updated, done), "TFFF"},
		"a repeat of the end":                {"T", "F", report(phases.Updated, done), "TFUT"},
	} {
		for _, imageMode := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				list := midway(imageMode, statusMap{phases.Updated: letters[tc.updated], phases.UpdatePrepared: letters[tc.prepared]})
				assert.Equal(t, tc.writes, lettersOf(next(t, list, imageMode, tc.report), ps...))
			})
		}
	}
}

// The first of the two writes that start an update resets the phases and changes nothing else: planned
// again, the same report leads to the second.
func TestAStartThatIsInterrupted(t *testing.T) {
	r := report(phases.Updated, no, newTarget)
	writes := next(t, midway(false, nil), false, r)
	require.Len(t, writes, 2)
	assert.Equal(t, writes[1:], next(t, writes[0], false, r))
	assert.Nil(t, next(t, writes[1], false, report(phases.Updated, no)), "a repeat for the same target")
}

// A reset adds the prefix of the update to the message of a phase that ran, once. A phase that is False
// did not run in this update.
func TestMessagesAfterAReset(t *testing.T) {
	for _, updated := range []metav1.ConditionStatus{no, done} {
		after := next(t, midway(false, nil), false, report(phases.Updated, updated, newTarget))[0]
		for p, message := range map[phases.Phase]string{
			phases.Drained:        prefix + thisUpdate + ": ran Drained",
			phases.Resumed:        "ran Resumed",
			phases.Uncordoned:     prefix + lastUpdate + ": ran Uncordoned",
			phases.UpdateComplete: "This node has not yet entered the UpdateComplete phase",
		} {
			assert.Equal(t, message, condition(t, after, p).Message)
		}
	}
}

// A report of a process that restarted has the prefix of the last update, which later updates do not
// change. A text that is known under another name of the update stays: as its image, or as its config.
func TestMessagesAfterARestart(t *testing.T) {
	of := func(update string) func(*request) { return func(r *request) { r.Name = update } }
	list := statusMap{phases.Updated: done}.list(false)
	for _, r := range []request{
		report(phases.Uncordoned, done, of(lastUpdate)), report(phases.Uncordoned, done, of("image")),
		report(phases.Updated, no), report(phases.Updated, done),
	} {
		if writes := next(t, list, false, r); len(writes) > 0 {
			list = writes[0]
		}
		assert.Equal(t, prefix+lastUpdate+": about Uncordoned", condition(t, list, phases.Uncordoned).Message)
	}
	list = next(t, list, false, report(phases.Uncordoned, done, func(r *request) { r.Message = "again" }, completing))[0]
	assert.Equal(t, prefix+thisUpdate+": again", condition(t, list, phases.Uncordoned).Message)
	assert.Equal(t, prefix+thisUpdate+": again", condition(t, list, phases.UpdateComplete).Message)
}
