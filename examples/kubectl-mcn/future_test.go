package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/phases"
)

// TestTimeInTheFuture: one object with a wrong time, in files that are a week old, does not make the
// other nodes stuck.
func TestTimeInTheFuture(t *testing.T) {
	begin := now.Add(-7 * 24 * time.Hour)
	updating := newNode("worker-0", "worker", oldConfig, begin.Add(-time.Hour))
	update(updating, newConfig, begin, phases.Drained, noop)
	wrong := newNode("worker-1", "worker", oldConfig, now.AddDate(80, 0, 0))
	got := execute(t, asList(t, newPool("worker", newConfig), updating, wrong), "-f", "-")
	assert.Zero(t, got.code, got.stderr)
	assert.Contains(t, got.stdout, "14:18:05  2 nodes, 1 updating, 0 stuck\n", "two steps after the begin")
	got = execute(t, asList(t, newPool("worker", newConfig), wrong), "-f", "-")
	assert.Zero(t, got.code, got.stderr)
	assert.Contains(t, got.stdout, now.Format(time.TimeOnly)+"  1 node,")
}
