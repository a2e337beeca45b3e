package phases_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/phases"
)

const (
	missing metav1.ConditionStatus = ""
	no                             = metav1.ConditionFalse
	running                        = metav1.ConditionUnknown
	done                           = metav1.ConditionTrue
)

var statuses = []metav1.ConditionStatus{no, running, done}

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
	for _, w := range want {
		m := cycleMatrix
		switch {
		case w.phase == phases.Updated:
			m = updatedMatrix
		case w.kind == phases.Singleton:
			m = singletonMatrix
		}
		for from, cells := range m {
			for i, steps := range cells {
				to := statuses[i]
				t.Run(fmt.Sprintf("%s/%s to %s", w.name, from, to), func(t *testing.T) {
					path, err := phases.Path(w.phase, from, to)
					if len(steps) > 0 && steps[0] == rejected[0] {
						if from == missing {
							from = no
						}
						assert.Equal(t, &phases.TransitionError{Phase: w.phase, From: from, To: to}, err)
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
			path, err := phases.Path(tc.phase, tc.from, tc.to)
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
	for _, w := range want {
		for _, inImageMode := range []bool{false, true} {
			err := phases.Check(w.phase, done, inImageMode)
			if phases.ExistsIn(w.phase, inImageMode) {
				require.NoError(t, err)
				continue
			}
			requireInvalid(t, err, field.ErrorTypeInvalid, "phase", w.phase)
		}
	}
	for _, s := range []metav1.ConditionStatus{missing, "true", "False\n"} {
		requireInvalid(t, phases.Check(phases.Drained, s, false), field.ErrorTypeNotSupported, "status", s)
	}
	requireInvalid(t, phases.Check("Rested", no, false), field.ErrorTypeNotSupported, "phase", phases.Phase("Rested"))
}
