package phases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/phases"
)

// An error names the problem and the remedy.
func TestErrors(t *testing.T) {
	_, unknown := phases.Path("Rebooted", no, no)
	_, empty := phases.Path("", no, no)
	_, status := phases.Path(phases.Cordoned, no, "yes")
	for name, tc := range map[string]struct {
		err   error
		parts []string
	}{
		"a phase that ran": {
			&phases.TransitionError{Phase: phases.Drained, From: running, To: no},
			[]string{"Drained", "from Unknown to False", "Updated=False", "Updated=True", "report Unknown with the cause"},
		},
		"a child runs": {
			&phases.TransitionError{Phase: phases.UpdateExecuted, From: running, To: done, Child: phases.Drained},
			[]string{"UpdateExecuted", "from Unknown to True", "its child Drained is Unknown"},
		},
		"Updated": {
			&phases.TransitionError{Phase: phases.Updated, From: done, To: running},
			[]string{"Updated", "from True to Unknown", "report False when an update starts", "True when the update ends"},
		},
		"unknown phase":  {unknown, []string{`phase: Unsupported value: "Rebooted"`, `"RebootedNode"`}},
		"empty phase":    {empty, []string{`phase: Unsupported value: ""`, `"AppliedFilesAndOS"`, `"AppliedFiles"`}},
		"invalid status": {status, []string{`status: Unsupported value: "yes"`, `"True", "False", "Unknown"`}},
		"a phase of image mode": {
			phases.Check(phases.AppliedFiles, no, false),
			[]string{`phase: Invalid value: "AppliedFiles"`, "does not exist in standard mode", "ImageModeStatusReporting is off", "phases.All(false)"},
		},
		"a phase of standard mode": {
			phases.Check(phases.AppliedFilesAndOS, no, true),
			[]string{`phase: Invalid value: "AppliedFilesAndOS"`, "does not exist in image mode", "ImageModeStatusReporting is on", "phases.All(true)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, part := range tc.parts {
				assert.ErrorContains(t, tc.err, part)
			}
		})
	}
}
