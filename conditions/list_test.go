package conditions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	done    = metav1.ConditionTrue
)

func TestStatusOfAMissingConditionIsFalse(t *testing.T) {
	list := []metav1.Condition{{Type: "Drained", Status: running}, {Type: "Drained", Status: done}}

	assert.Equal(t, running, conditions.StatusOf(list, phases.Drained), "of two conditions of a phase, the first one counts")
	assert.Equal(t, no, conditions.StatusOf(list, phases.Cordoned))
	assert.Equal(t, no, conditions.StatusOf(nil, phases.Cordoned))
}

func TestBothSpellingsOfNotYetOccurredAreReserved(t *testing.T) {
	for reason, want := range map[string]bool{
		"NotYetOccurred": true,
		"NotYetOccured":  true, // older daemons write it
		"Drained":        false,
		"":               false,
	} {
		assert.Equal(t, want, conditions.IsReservedReason(reason), "%q", reason)
	}
}
