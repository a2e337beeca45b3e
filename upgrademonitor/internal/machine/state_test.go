package machine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/machine"
)

// desires returns the state after another client has changed the spec, a generation later.
func desires(s machine.State, config string) machine.State {
	s.Spec.ConfigVersion.Desired = config
	s.Generation++
	return s
}

// No report of the update to b observes a spec that desires c, whenever the spec changes.
func TestObservedGenerationStaysWhileTheSpecDesiresAnotherConfig(t *testing.T) {
	b, c := viewOf("a", "b"), viewOf("b", "c")
	rest := []machine.Change{
		report(phases.Updated, metav1.ConditionTrue, viewOf("a", "a")),
		report(phases.Updated, metav1.ConditionFalse, b),
		report(phases.Drained, metav1.ConditionTrue, b),
		report(phases.UpdatePrepared, metav1.ConditionTrue, b),
		report(phases.NodeDegraded, metav1.ConditionTrue, b),
		report(phases.Updated, metav1.ConditionTrue, c),
		report(phases.Resumed, metav1.ConditionTrue, c),
	}
	for order := 4; order <= len(rest); order++ {
		s := desires(after(t, machine.State{Generation: 1}.Sync(viewOf("a", "a")), rest[:order]...), "c")
		observed := s.Status.ObservedGeneration
		assert.Less(t, observed, s.Generation)
		for _, r := range rest[order:] {
			s = after(t, s, r)
			assert.Equal(t, observed, s.Status.ObservedGeneration, "changed before %s, %s", rest[order], r)
		}
		again, err := report(phases.NodeDegraded, metav1.ConditionFalse, c).All(s)
		require.NoError(t, err)
		s = again.States[0]
		assert.Equal(t, observed, s.Status.ObservedGeneration)

		s = after(t, s, report(phases.Updated, metav1.ConditionFalse, c))
		assert.Equal(t, s.Generation, s.Status.ObservedGeneration, "the update to c has started")
	}
}

// A repeat, too, observes a change of the spec.
func TestObservedGenerationCatchesUp(t *testing.T) {
	n := viewOf("a", "a")
	updated := report(phases.Updated, metav1.ConditionTrue, n)
	for name, reports := range map[string][]machine.Change{
		"between updates": {updated},
		"in an update":    {updated, report(phases.Updated, metav1.ConditionFalse, viewOf("a", "b")), report(phases.UpdatePrepared, metav1.ConditionTrue, viewOf("a", "b"))},
		"never updated":   {report(phases.Drained, metav1.ConditionTrue, n)},
	} {
		t.Run(name, func(t *testing.T) {
			s := after(t, machine.State{Generation: 1}.Sync(n), reports...)
			s.Spec.Pool.Name = "infra"
			s.Generation++
			for _, repeat := range []machine.Change{reports[len(reports)-1], setsOf(n, now, "")} {
				planned, err := repeat.All(s)
				require.NoError(t, err)
				require.Len(t, planned.States, 1)
				assert.Equal(t, s.Generation, planned.States[0].Status.ObservedGeneration)
				again, err := repeat.All(planned.States[0])
				require.NoError(t, err)
				assert.Empty(t, again.States)
			}
		})
	}
}

// machine-config-operator writes the generation + 1. The CRD rejects a decrease.
func TestObservedGenerationNeverDecreases(t *testing.T) {
	n := viewOf("a", "a")
	s := after(t, machine.State{Generation: 3}.Sync(n), report(phases.Updated, metav1.ConditionTrue, n))
	s.Status.ObservedGeneration = 4
	s = after(t, s, report(phases.NodeDegraded, metav1.ConditionTrue, n))
	assert.EqualValues(t, 4, s.Status.ObservedGeneration)
}

func TestObservedGenerationFollowsTheImageInImageMode(t *testing.T) {
	for mode, want := range map[machine.Mode]int64{machine.Image: 1, machine.Standard: 2} {
		n := viewOf("a", "a")
		n.Mode = mode
		s := after(t, machine.State{Generation: 1}.Sync(n), report(phases.Updated, metav1.ConditionTrue, n))
		s.Spec.ConfigImage.DesiredImage = "1"
		s.Generation++
		s = after(t, s, report(phases.NodeDegraded, metav1.ConditionTrue, n))
		assert.Equal(t, want, s.Status.ObservedGeneration, mode)
	}
}
