package command

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/phases"
)

// TestOffTargetNode: a node that updates to a withdrawn config has an entry, and no row in the table.
func TestOffTargetNode(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour))
	update(n, "rendered-worker-33333333", now.Add(-5*time.Minute), phases.Drained)
	got := execute(t, asList(t, newPool("worker", newConfig), n), "-f", "-").stdout
	assert.Contains(t, got, "\n~ worker-0 ")
	assert.NotContains(t, got, "\n  worker-0 ")
}
