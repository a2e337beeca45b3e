package planner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// machine-config-operator may have written a higher observedGeneration, and the CRD rejects a lower one.
func TestObservedGenerationNeverDecreases(t *testing.T) {
	n := nodeOf("a", "a")
	s := after(t, planner.State{Generation: 3}.WithSpecOf(n), report(phases.Updated, metav1.ConditionTrue, n))
	s.Status.ObservedGeneration = 4
	s = after(t, s, report(phases.NodeDegraded, metav1.ConditionTrue, n))
	assert.EqualValues(t, 4, s.Status.ObservedGeneration)
}

func TestInImageModeObservedGenerationWaitsForTheImage(t *testing.T) {
	for mode, want := range map[planner.Mode]int64{planner.Image: 1, planner.Standard: 2} {
		n := nodeOf("a", "a")
		n.Mode = mode
		s := after(t, planner.State{Generation: 1}.WithSpecOf(n), report(phases.Updated, metav1.ConditionTrue, n))
		s.Spec.ConfigImage.DesiredImage = "1"
		s.Generation++
		s = after(t, s, report(phases.NodeDegraded, metav1.ConditionTrue, n))
		assert.Equal(t, want, s.Status.ObservedGeneration, mode)
	}
}
