package simulation_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/examples/internal/simulation"
)

func TestOptionsThatAreNoNumbers(t *testing.T) {
	valid := simulation.Options{Nodes: 3, Speed: 1}
	assert.NoError(t, valid.Validate())
	for _, speed := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		o := valid
		o.Speed = speed
		assert.ErrorContains(t, o.Validate(), "use a positive number", "%g", speed)
	}
	for _, speed := range []float64{1e-300, simulation.MinSpeed / 2, 2 * simulation.MaxSpeed, 1e300} {
		o := valid
		o.Speed = speed
		assert.ErrorContains(t, o.Validate(), "use from 0.001 to 1000000", "%g", speed)
	}
	for _, jitter := range []float64{-1, 2, math.NaN(), math.Inf(1)} {
		o := valid
		o.Jitter = jitter
		assert.ErrorContains(t, o.Validate(), "use from 0 to 1", "%g", jitter)
	}
	_, err := simulation.New(t.Context(), simulation.Options{Nodes: 1})
	assert.NoError(t, err, "a speed of its own")
}
