package phases_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/phases"
)

// Every error names what was wrong and says what would be right.
func TestErrorText(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		says []string
	}{
		"a phase that ran": {
			&phases.TransitionError{Phase: phases.Drained, From: running, To: no},
			[]string{"Drained", "from Unknown to False", "Updated=False", "Updated=True", "report Unknown with the cause"},
		},
		"Updated": {
			&phases.TransitionError{Phase: phases.Updated, From: done, To: running},
			[]string{"Updated", "from True to Unknown", "report False when an update begins", "True when it is over"},
		},
		"unknown phase": {
			&phases.UnknownPhaseError{Phase: "Rebooted"},
			[]string{`"Rebooted"`, "use one of phases.All"},
		},
		"no phase": {
			&phases.UnknownPhaseError{},
			[]string{`""`, "use one of phases.All"},
		},
		"invalid status": {
			&phases.StatusError{Status: "yes"},
			[]string{`"yes"`, "use True, False or Unknown"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, part := range tc.says {
				assert.Contains(t, tc.err.Error(), part)
			}
		})
	}
}

func TestErrorsAreFoundWhenWrapped(t *testing.T) {
	_, err := phases.Path(phases.Cordoned, running, no)
	err = errors.Join(errors.New("another"), fmt.Errorf("reporting: %w", err))
	var refused *phases.TransitionError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, phases.Cordoned, refused.Phase)
	assert.Equal(t, running, refused.From)
	assert.Equal(t, no, refused.To)

	_, err = phases.Path("Mine", no, no)
	var unknown *phases.UnknownPhaseError
	require.ErrorAs(t, fmt.Errorf("reporting: %w", err), &unknown)
	assert.NotErrorAs(t, err, &refused)

	_, err = phases.Path(phases.Cordoned, no, "Mine")
	var invalid *phases.StatusError
	require.ErrorAs(t, fmt.Errorf("reporting: %w", err), &invalid)
	assert.NotErrorAs(t, err, &refused)
	assert.NotErrorAs(t, err, &unknown)
}
