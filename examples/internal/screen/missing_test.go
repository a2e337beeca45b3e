package screen_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestMissingNodesAreNotDone: no MachineConfigNode of the pool exists yet.
func TestMissingNodesAreNotDone(t *testing.T) {
	missing := progress.Pool{Name: "worker", MaxUnavailable: 1, Missing: 3}
	text := screen.Text(screen.Snapshot([]progress.Pool{missing}, screen.Options{Now: now, Width: 140}))
	assert.Contains(t, text, " 3 nodes, 0 updating, 0 stuck, 3 unreported\n")
	assert.Regexp(t, ` 0/3 +0 +0 +3 +-\n`, text)

	moves := screen.Found([]progress.Pool{missing}, now)
	assert.Equal(t, "14:16:05 worker 0/3 3 unreported", moves[0].Text(time.UTC, false))
	done := progress.Pool{Name: "worker", MaxUnavailable: 1, Done: 2, Missing: 1}
	assert.Empty(t, screen.Moves([]progress.Pool{missing}, []progress.Pool{done}, now))
	done.Done, done.Missing = 3, 0
	assert.Equal(t, "14:16:05 worker 3/3 done", screen.Moves([]progress.Pool{missing}, []progress.Pool{done}, now)[0].Text(time.UTC, false))
}
