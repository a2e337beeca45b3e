package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestASelectorThatMatchesNothing(t *testing.T) {
	got := execute(t, asList(t, rollout()...), "-f", "-", "-l", "zone=none")
	assert.Zero(t, got.code, got.stderr)
	assert.Contains(t, got.stdout, "\nNo MachineConfigNode matches the selector.\n")
	assert.NotContains(t, got.stdout, "found")
}
