package transitions_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

const (
	missing      metav1.ConditionStatus = ""
	unknownPhase phases.Phase           = "InternalReleaseImageDegraded"
)

// The tables map each old status to the statuses that are written for the new status False, Unknown and True.
const (
	illegal = "illegal"
	u, f, d = string(running), string(no), string(done)
)

var (
	ofAStep      = map[string][3]string{f: {"", u, u + " " + d}, u: {illegal, "", d}, d: {f, f + " " + u, ""}}
	ofUpdated    = map[string][3]string{f: {"", illegal, d}, u: {f, illegal, d}, d: {f, illegal, ""}}
	ofASingleton = map[string][3]string{f: {"", u, d}, u: {f, "", d}, d: {f, u, ""}}
)

func TestPathFollowsTheStateMachine(t *testing.T) {
	for _, p := range everyType[1:] {
		machine := ofAStep
		switch {
		case p == phases.Updated:
			machine = ofUpdated
		case isSingleton(string(p)):
			machine = ofASingleton
		}
		for _, from := range append(statuses, missing) {
			for i, to := range statuses {
				assert.Equal(t, machine[string(cmp.Or(from, no))][i], writesOf(t, p, from, to), "%s from %q to %s", p, from, to)
			}
		}
	}
}

// writesOf returns the statuses to write, or illegal.
func writesOf(t *testing.T, p phases.Phase, from, to metav1.ConditionStatus) string {
	path, err := transitions.Path(p, from, to)
	if err != nil {
		require.Equal(t, &phases.TransitionError{Phase: p, From: cmp.Or(from, no), To: to}, err)
		return illegal
	}
	return strings.Trim(fmt.Sprint(path), "[]")
}

func TestPathRejectsInvalidArguments(t *testing.T) {
	for name, tc := range map[string]struct {
		phase    phases.Phase
		from, to metav1.ConditionStatus
		field    string
		bad      any
	}{
		"no phase":                          {"", no, done, "phase", phases.Phase("")},
		"a condition type that is no phase": {unknownPhase, "Bogus", done, "phase", unknownPhase},
		"no new status":                     {phases.Drained, no, "", "status", missing},
		"an invalid old status":             {phases.NodeDegraded, "Bogus", running, "status", metav1.ConditionStatus("Bogus")},
		"the old and the new status are the same invalid status": {phases.Drained, "Bogus", "Bogus", "status", metav1.ConditionStatus("Bogus")},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := transitions.Path(tc.phase, tc.from, tc.to)
			assert.Nil(t, path)
			var invalid *field.Error
			require.ErrorAs(t, err, &invalid)
			assert.Equal(t, []any{field.ErrorTypeNotSupported, tc.field, fmt.Sprint(tc.bad)}, []any{invalid.Type, invalid.Field, fmt.Sprint(invalid.BadValue)})
		})
	}
}

func TestAnErrorNamesTheProblemAndTheRemedy(t *testing.T) {
	_, unknown := transitions.Path("Rebooted", no, no)
	_, empty := transitions.Path("", no, no)
	_, status := transitions.Path(phases.Cordoned, no, "yes")
	for name, tc := range map[string]struct {
		err   error
		parts []string
	}{
		"unknown phase":  {unknown, []string{`phase: Unsupported value: "Rebooted"`, `"RebootedNode"`}},
		"empty phase":    {empty, []string{`phase: Unsupported value: ""`, `"AppliedFilesAndOS"`, `"AppliedFiles"`}},
		"invalid status": {status, []string{`status: Unsupported value: "yes"`, `"True", "False", "Unknown"`}},
		"a phase of image mode": {
			transitions.CheckMode(phases.AppliedFiles, false),
			[]string{`phase: Invalid value: "AppliedFiles"`, "does not exist in standard mode", "ImageModeStatusReporting is off", "phases.All(false)"},
		},
		"a phase of standard mode": {
			transitions.CheckMode(phases.AppliedFilesAndOS, true),
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
