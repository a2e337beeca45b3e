package components_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestBootstrap of a new cluster is visible, and its record stays.
func TestBootstrap(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := m.operator(t)
		m.is(t, operatorDegraded, unknown, "Starting")
		assert.Equal(t, "The first sync has not completed", m.is(t, bootstrap, yes, "BootstrapProgression").Message)
		p.sync(errDaemons)
		pass(10 * time.Minute)
		assert.Equal(t, "The first sync is at step OperatorSyncMCD", m.is(t, bootstrap, yes, "BootstrapProgression").Message)
		p.stop() // killed
		p = m.operator(t)
		pass(10 * time.Minute)
		assert.Equal(t, "The first sync is at step OperatorSyncMCD", m.is(t, bootstrap, yes, "BootstrapProgression").Message)
		p.sync(nil)
		pass(time.Hour)
		want := m.is(t, bootstrap, no, "Complete")
		assert.Regexp(t, `^Completed at \S+Z, after 20m0s; last error, in OperatorSyncMCD: timed out waiting for the daemons$`, want.Message)
		assert.LessOrEqual(t, m.writes(), 6)

		p.stop()
		p = m.operator(t)
		p.sync(errDaemons)
		pass(time.Hour)
		assert.Equal(t, want, m.condition(t, bootstrap), "for good")
	})
}
