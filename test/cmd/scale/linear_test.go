package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSpread(t *testing.T) {
	linear := []point{{500, 1000}, {1000, 2000}, {5000, 10000}}
	assert.InDelta(t, 1, spread(linear), 1e-9)

	squared := []point{{500, 500 * 500}, {1000, 1000 * 1000}, {5000, 5000 * 5000}}
	assert.InDelta(t, 10, spread(squared), 1e-9)

	falling := []point{{500, 1000}, {1000, 1000}}
	assert.InDelta(t, 2, spread(falling), 1e-9, "a constant cost is not linear either")

	assert.Zero(t, spread(nil))
	assert.Zero(t, spread(linear[:1]))
	assert.Zero(t, spread([]point{{500, 0}, {1000, 5}}))
}
