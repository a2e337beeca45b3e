package screen_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestTotalIsNotLessThanFor has a node whose desired config was changed after its update had begun.
func TestTotalIsNotLessThanFor(t *testing.T) {
	n := updating("worker-3", phases.UpdatePrepared, 10*time.Second, 10*time.Second, "")
	n.Ordered = now.Add(-8 * time.Second)
	w := workers()
	w.Updating = 1
	text := screen.Text(screen.Snapshot([]progress.Pool{with(w, n)}, screen.Options{Now: now, Width: 80}))
	assert.Regexp(t, `Preparing +10s +10s\n`, text)
}
