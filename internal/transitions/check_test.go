package transitions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/phases"
)

// The tests of package upgrademonitortest check which changes of a status are errors.
func TestCheckTransitionsComparesTimes(t *testing.T) {
	before := statusMap{phases.Drained: running}.list(false)
	later := statusMap{phases.Drained: running}.list(false)
	assert.NoError(t, conditionstest.CheckTransitions(before, later))
	conditions.Find(later, phases.Drained).LastTransitionTime = now
	assert.EqualError(t, conditionstest.CheckTransitions(before, later), "lastTransitionTime of Drained must not change while the status stays the same")
}
