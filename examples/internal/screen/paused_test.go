package screen_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestPausedAndBlocked: a paused pool does not continue, whatever its stuck nodes do. It is blocked
// when it is unpaused.
func TestPausedAndBlocked(t *testing.T) {
	free, blocked, paused := degraded(), degraded(), degraded()
	free[1].Blocked, paused[1].Paused = false, true
	for _, width := range []int{40, 80, 140} {
		got := screen.Text(screen.Snapshot(paused, screen.Options{Now: now, Width: width}))
		assert.Contains(t, got, " paused\n")
		assert.Contains(t, got, "\nworker is paused: 2 nodes wait.\n")
		assert.Contains(t, got, "\n! worker-4 ", "it is stuck all the same")
		assert.NotContains(t, got, "blocked")
	}
	texts := func(moves []screen.Move) (texts []string) {
		for _, m := range moves {
			if m.Kind != screen.Stuck {
				texts = append(texts, m.Text(time.UTC, false))
			}
		}
		return texts
	}
	const isBlocked = "14:16:05 worker 3/6 blocked, stuck nodes take all of maxUnavailable (1)"
	found := func(pools []progress.Pool) []string { return texts(screen.Found(pools[1:], now)) }
	assert.Equal(t, []string{"14:16:05 worker 3/6 target 7de7db73, 1 updating, 2 waiting", isBlocked}, found(blocked))
	assert.Equal(t, []string{"14:16:05 worker 3/6 target 7de7db73, 1 updating, 2 waiting, paused"}, found(paused))
	assert.Equal(t, []string{"14:16:05 worker 3/6 paused"}, texts(screen.Moves(blocked, paused, now)))
	assert.Equal(t, []string{"14:16:05 worker 3/6 unpaused", isBlocked}, texts(screen.Moves(paused, blocked, now)))
	assert.Equal(t, []string{isBlocked}, texts(screen.Moves(free, blocked, now)))
}
