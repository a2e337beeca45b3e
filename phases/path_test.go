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

// cell is a cell of a transition table: the steps, or an error.
type cell struct {
	steps   []metav1.ConditionStatus
	refused bool
}

var (
	stay   = cell{}
	refuse = cell{refused: true}
)

func take(steps ...metav1.ConditionStatus) cell { return cell{steps: steps} }

// matrix is a transition table: from, then the cells for False, Unknown and True.
type matrix map[metav1.ConditionStatus][3]cell

// The three state machines. Parent and child phases share one.
var (
	cycleMatrix = matrix{
		//        False        Unknown           True
		missing: {stay, take(running), take(running, done)},
		no:      {stay, take(running), take(running, done)},
		running: {refuse, stay, take(done)},
		done:    {take(no), take(no, running), stay},
	}
	updatedMatrix = matrix{
		missing: {stay, refuse, take(done)},
		no:      {stay, refuse, take(done)},
		running: {take(no), refuse, take(done)}, // no report leads here: someone else did
		done:    {take(no), refuse, stay},
	}
	singletonMatrix = matrix{
		missing: {stay, take(running), take(done)},
		no:      {stay, take(running), take(done)},
		running: {take(no), stay, take(done)},
		done:    {take(no), take(running), stay},
	}
)

func matrixOf(p phases.Phase, kind phases.Kind) matrix {
	switch {
	case p == phases.Updated:
		return updatedMatrix
	case kind == phases.Singleton:
		return singletonMatrix
	default:
		return cycleMatrix
	}
}

func TestPathFollowsTheStateMachine(t *testing.T) {
	for _, w := range want {
		m := matrixOf(w.phase, w.kind)
		require.Len(t, m, 4)
		for from, cells := range m {
			for i, want := range cells {
				to := statuses[i]
				t.Run(fmt.Sprintf("%s/%s to %s", w.name, from, to), func(t *testing.T) {
					path, err := phases.Path(w.phase, from, to)

					if want.refused {
						var refused *phases.TransitionError
						require.ErrorAs(t, err, &refused)
						assert.Nil(t, path)
						assert.Equal(t, phases.TransitionError{Phase: w.phase, From: present(from), To: to}, *refused)
						return
					}
					require.NoError(t, err)
					assert.Equal(t, want.steps, path, "nil, not empty, where there is nothing to do")
				})
			}
		}
	}
}

func TestPathNeverSkipsAStepNorInsertsTrue(t *testing.T) {
	type arrow struct{ from, to metav1.ConditionStatus }
	arrows := map[arrow]bool{{no, running}: true, {running, done}: true, {done, no}: true}
	for _, w := range want {
		for _, from := range append(statuses, missing) {
			for _, to := range statuses {
				path, err := phases.Path(w.phase, from, to)
				if err != nil {
					continue
				}
				at := present(from)
				for i, step := range path {
					assert.NotEqual(t, at, step, "%s stands still", w.name)
					if w.ofCycle {
						assert.True(t, arrows[arrow{at, step}], "%s jumps from %s to %s", w.name, at, step)
						assert.False(t, step == done && i < len(path)-1, "%s: True is filled in", w.name)
					}
					at = step
				}
				assert.Equal(t, to, at, "%s does not arrive", w.name)
				if w.kind == phases.Singleton || w.phase == phases.Updated {
					assert.LessOrEqual(t, len(path), 1, w.name)
				}
			}
		}
	}
}

func TestPathMayBeChangedByTheCaller(t *testing.T) {
	path, err := phases.Path(phases.Drained, no, done)
	require.NoError(t, err)
	clear(path)
	_ = append(path[:1], "Mine")

	again, err := phases.Path(phases.Drained, no, done)
	require.NoError(t, err)
	assert.Equal(t, []metav1.ConditionStatus{running, done}, again)
}

func TestPathRejectsAnUnknownPhase(t *testing.T) {
	for _, p := range []phases.Phase{"", "drained", unknownPhase} {
		for _, from := range append(statuses, missing, "Bogus") {
			path, err := phases.Path(p, from, done)

			requireInvalid(t, err, field.ErrorTypeNotSupported, "phase", string(p))
			assert.Nil(t, path)
		}
	}
}

func TestPathRejectsAnInvalidStatus(t *testing.T) {
	for name, tc := range map[string]struct{ from, to, bad metav1.ConditionStatus }{
		"to nothing":      {no, "", ""},
		"nothing to none": {"", "", ""},
		"to lower case":   {no, "true", "true"},
		"to other":        {running, "Bogus", "Bogus"},
		"from other":      {"Bogus", running, "Bogus"},
		"same other":      {"Bogus", "Bogus", "Bogus"},
		"from lower case": {"false", no, "false"},
		"with space":      {no, "True ", "True "},
	} {
		for _, w := range want {
			t.Run(w.name+"/"+name, func(t *testing.T) {
				path, err := phases.Path(w.phase, tc.from, tc.to)

				requireInvalid(t, err, field.ErrorTypeNotSupported, "status", string(tc.bad))
				assert.Nil(t, path)
			})
		}
	}
}

func TestCheckRejectsTheOtherModeAndInvalidStatuses(t *testing.T) {
	for _, w := range want {
		for _, inImageMode := range []bool{false, true} {
			for _, s := range statuses {
				err := phases.Check(w.phase, s, inImageMode)
				if phases.ExistsIn(w.phase, inImageMode) {
					require.NoError(t, err)
					continue
				}
				requireInvalid(t, err, field.ErrorTypeInvalid, "phase", w.name)
			}
		}
	}
	for _, s := range []metav1.ConditionStatus{missing, "true", "unknown", "False\n"} {
		requireInvalid(t, phases.Check(phases.Drained, s, false), field.ErrorTypeNotSupported, "status", string(s))
	}
	requireInvalid(t, phases.Check("Rested", no, false), field.ErrorTypeNotSupported, "phase", "Rested")
}

// present maps a missing status to what it counts as.
func present(s metav1.ConditionStatus) metav1.ConditionStatus {
	if s == missing {
		return no
	}
	return s
}
