package transitions_test

import (
	"fmt"
	"slices"
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

// rejected is in a matrix for a transition that is an error. nil is a transition that needs no step.
var rejected = []metav1.ConditionStatus{"rejected"}

func take(steps ...metav1.ConditionStatus) []metav1.ConditionStatus { return steps }

// matrix is a state machine: from, then the steps to False, Unknown and True.
type matrix map[metav1.ConditionStatus][3][]metav1.ConditionStatus

// The three state machines. Parent and child phases share one.
var (
	cycleMatrix = matrix{
		//        False        Unknown           True
		missing: {nil, take(running), take(running, done)},
		no:      {nil, take(running), take(running, done)},
		running: {rejected, nil, take(done)},
		done:    {take(no), take(no, running), nil},
	}
	updatedMatrix = matrix{
		missing: {nil, rejected, take(done)},
		no:      {nil, rejected, take(done)},
		running: {take(no), rejected, take(done)}, // only another client leads here
		done:    {take(no), rejected, nil},
	}
	singletonMatrix = matrix{
		missing: {nil, take(running), take(done)},
		no:      {nil, take(running), take(done)},
		running: {take(no), nil, take(done)},
		done:    {take(no), take(running), nil},
	}
)

func TestPathFollowsTheStateMachine(t *testing.T) {
	for _, typ := range everyType[1:] {
		p, m := phases.Phase(typ), cycleMatrix
		switch {
		case typ == "Updated":
			m = updatedMatrix
		case slices.Contains(singletons, typ):
			m = singletonMatrix
		}
		for from, cells := range m {
			for i, steps := range cells {
				to := statuses[i]
				t.Run(fmt.Sprintf("%s/%s to %s", typ, from, to), func(t *testing.T) {
					path, err := transitions.Path(p, from, to)
					if len(steps) > 0 && steps[0] == rejected[0] {
						if from == missing {
							from = no
						}
						assert.Equal(t, &phases.TransitionError{Phase: p, From: from, To: to}, err)
						assert.Nil(t, path)
						return
					}
					require.NoError(t, err)
					assert.Equal(t, steps, path)
					clear(path) // the next call returns another slice
				})
			}
		}
	}
}

func TestPathRejectsInvalidArguments(t *testing.T) {
	for name, tc := range map[string]struct {
		phase    phases.Phase
		from, to metav1.ConditionStatus
		field    string
		bad      any
	}{
		"no phase":     {"", no, done, "phase", phases.Phase("")},
		"another type": {unknownPhase, "Bogus", done, "phase", unknownPhase},
		"to nothing":   {phases.Drained, no, "", "status", missing},
		"from other":   {phases.NodeDegraded, "Bogus", running, "status", metav1.ConditionStatus("Bogus")},
		"same other":   {phases.Drained, "Bogus", "Bogus", "status", metav1.ConditionStatus("Bogus")},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := transitions.Path(tc.phase, tc.from, tc.to)
			assert.Nil(t, path)
			requireInvalid(t, err, field.ErrorTypeNotSupported, tc.field, tc.bad)
		})
	}
}

// requireInvalid asserts that an error is a *field.Error.
func requireInvalid(t *testing.T, err error, kind field.ErrorType, name string, value any) {
	t.Helper()
	var invalid *field.Error
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, []any{kind, name, fmt.Sprint(value)}, []any{invalid.Type, invalid.Field, fmt.Sprint(invalid.BadValue)})
}

func TestCheck(t *testing.T) {
	for _, typ := range everyType[1:] {
		for _, inImageMode := range []bool{false, true} {
			p, exists := phases.Phase(typ), slices.Contains(typesOf(inImageMode), typ)
			assert.Equal(t, exists, transitions.ExistsIn(p, inImageMode))
			err := transitions.Check(p, done, inImageMode)
			if exists {
				require.NoError(t, err)
				continue
			}
			requireInvalid(t, err, field.ErrorTypeInvalid, "phase", p)
		}
	}
	for _, s := range []metav1.ConditionStatus{missing, "true", "False\n"} {
		requireInvalid(t, transitions.Check(phases.Drained, s, false), field.ErrorTypeNotSupported, "status", s)
	}
	requireInvalid(t, transitions.Check("Rested", no, false), field.ErrorTypeNotSupported, "phase", phases.Phase("Rested"))
}

func TestSteps(t *testing.T) {
	for _, typ := range everyType {
		p := phases.Phase(typ)
		isUpdateStep := typ != everyType[0] && isStep(typ)
		assert.Equal(t, isUpdateStep, transitions.IsStep(p), typ)
		assert.Equal(t, isUpdateStep && !slices.Contains(restarts, typ), transitions.RunsOnlyInUpdate(p), typ)
	}
}

// An error names the problem and the remedy.
func TestErrors(t *testing.T) {
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
			transitions.Check(phases.AppliedFiles, no, false),
			[]string{`phase: Invalid value: "AppliedFiles"`, "does not exist in standard mode", "ImageModeStatusReporting is off", "phases.All(false)"},
		},
		"a phase of standard mode": {
			transitions.Check(phases.AppliedFilesAndOS, no, true),
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
