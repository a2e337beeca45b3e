package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/examples/internal/program"
)

// TestSilentServer accepts requests, and does not answer any.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-closed:
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(closed) })
	file := kubeconfigOf(t, s.URL)
	for _, command := range [][]string{nil, {"-w"}, {"wait"}, {"timeline", "-w"}} {
		var stdout, stderr bytes.Buffer
		p := testProgram(&stdout, &stderr)
		p.clock, p.patience = clock.RealClock{}, 300*time.Millisecond
		code := make(chan int, 1)
		go func() { code <- exit(t.Context(), p, append(command, "--kubeconfig", file)) }()
		select {
		case got := <-code:
			assert.Equal(t, program.ExitUsage, got, command)
			assert.Equal(t, "kubectl-mcn: the cluster "+s.URL+" does not answer within 300ms: is it up, and reachable from here?\n", stderr.String(), command)
			assert.Empty(t, stdout.String(), command)
		case <-time.After(20 * time.Second):
			t.Fatalf("%q does not end", command)
		}
	}
}

// TestWatchOutlivesThePatience: only the answer to its request is limited.
func TestWatchOutlivesThePatience(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, time.Now().Add(-time.Hour))
	s := newServer(t, newPool("worker", newConfig), n)
	out := newLines()
	p := testProgram(out, &bytes.Buffer{})
	p.clock, p.patience = clock.RealClock{}, time.Second
	file := s.kubeconfig(t)
	go func() { exit(t.Context(), p, []string{"-w", "--kubeconfig", file}) }()
	out.await("worker 0/1")
	watches := func() (n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, r := range s.requests {
			if r == "GET watch "+nodesResource {
				n++
			}
		}
		return n
	}
	assert.Never(t, func() bool { return watches() > 2 }, 2500*time.Millisecond, 50*time.Millisecond, "one is rejected, one goes on")
}
