package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// TestMovesOfNodesThatAreNoLongerStuck: --state stuck prints the end of being stuck, too.
func TestMovesOfNodesThatAreNoLongerStuck(t *testing.T) {
	t.Parallel()
	degraded := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	update(degraded, newConfig, time.Now().Add(-5*time.Minute), phases.AppliedFilesAndOS, noop)
	healthy := degraded.DeepCopy()
	report(degraded, phases.NodeDegraded, metav1.ConditionTrue, time.Now().Add(-time.Minute), "disk full")
	s := newServer(t, newPool("worker", newConfig), degraded, newNode("worker-1", "worker", oldConfig, time.Now()))
	r := start(t, "-w", "--state", "stuck", "--kubeconfig", s.kubeconfig(t))
	r.await("worker-0 STUCK degraded")
	s.set(healthy)
	r.await("worker-0 no longer stuck")
	s.set(degraded)
	r.await("worker-0 STUCK degraded")
	s.remove(nodesResource, "worker-1")
	s.remove(nodesResource, "worker-0")
	r.await("worker-0 deleted")
	r.cancel()
	_, stdout, _ := r.end()
	assert.NotContains(t, stdout, "worker-1", "it was never stuck")
}
