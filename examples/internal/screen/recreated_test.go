package screen_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
)

// TestMovesOfANodeThatIsCreatedAgain: the first one was deleted, and the second one is stuck on its own.
func TestMovesOfANodeThatIsCreatedAgain(t *testing.T) {
	before, after := degraded(), degraded()
	for i := range after[1].Nodes {
		after[1].Nodes[i].UID = "b"
	}
	after[1].Stuck[0].Node.UID = "b"
	var got []string
	for _, m := range screen.Moves(before, after, now) {
		got = append(got, m.Text(time.UTC, false))
	}
	assert.Equal(t, []string{
		"14:16:05 worker 3/6 worker-4 deleted",
		"14:16:05 worker 3/6 worker-4 STUCK degraded for 11m at step Files and OS: Node worker-4 upgrade failure. rename /home/.core1131580553 /home/core: file exists",
	}, got)
	after[1].Stuck = nil
	assert.Len(t, screen.Moves(before, after, now), 1, "it has not recovered")
}
