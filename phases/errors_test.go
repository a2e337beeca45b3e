package phases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	done    = metav1.ConditionTrue
)

func TestATransitionErrorNamesTheRemedy(t *testing.T) {
	for name, tc := range map[string]struct {
		err   error
		parts []string
	}{
		"a phase that is Unknown": {
			&phases.TransitionError{Phase: phases.Drained, From: running, To: no},
			[]string{"Drained", "from Unknown to False", "Updated=False", "Updated=True", "report Unknown with the cause"},
		},
		"a child is Unknown": {
			&phases.TransitionError{Phase: phases.UpdateExecuted, From: running, To: done, Child: phases.Drained},
			[]string{"UpdateExecuted", "from Unknown to True", "its child Drained is Unknown"},
		},
		"Updated": {
			&phases.TransitionError{Phase: phases.Updated, From: done, To: running},
			[]string{"Updated", "from True to Unknown", "report False when an update starts", "True when the update ends"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, part := range tc.parts {
				assert.ErrorContains(t, tc.err, part)
			}
		})
	}
}
