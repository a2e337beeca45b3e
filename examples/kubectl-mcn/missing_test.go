package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestWaitForNodesThatHaveNotReported: the pool counts a node before its MachineConfigNode exists.
func TestWaitForNodesThatHaveNotReported(t *testing.T) {
	t.Parallel()
	p := newPool("worker", newConfig)
	p.Status.MachineCount = 1
	s := newServer(t, p, newPool("empty", newConfig))
	code, _, stderr := start(t, "wait", "--timeout", "1500ms", "--kubeconfig", s.kubeconfig(t)).end()
	assert.Equal(t, exitTimeout, code)
	assert.Equal(t, "kubectl-mcn: not done within 1.5s: worker 0/1 (1 node has not reported)\n", stderr)

	r := start(t, "wait", "--kubeconfig", s.kubeconfig(t))
	r.await("worker 0/1 target 22222222, 1 unreported")
	s.set(newNode("worker-0", "worker", newConfig, time.Now()))
	code, stdout, stderr := r.end()
	assert.Zero(t, code, stderr)
	assert.Contains(t, stdout, "worker 1/1 done\n")
}
