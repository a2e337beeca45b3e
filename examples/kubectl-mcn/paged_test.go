package main

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWatchListsFirst: a list in pages is compressed, one that is streamed by a watch is not.
func TestWatchListsFirst(t *testing.T) {
	t.Parallel()
	s := newServer(t, rollout()...)
	r := start(t, "-w", "--kubeconfig", s.kubeconfig(t))
	r.await("worker-4 STUCK")
	r.cancel()
	r.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, resource := range []string{nodesResource, poolsResource} {
		list, watch := slices.Index(s.requests, "GET list "+resource), slices.Index(s.requests, "GET watch "+resource)
		assert.GreaterOrEqual(t, list, 0)
		assert.True(t, watch < 0 || list < watch, "%s", s.requests)
	}
}

// TestWatchThatIsRejectedLater: a server that has answered once is waited for.
func TestWatchThatIsRejectedLater(t *testing.T) {
	t.Parallel()
	s := newServer(t, rollout()...)
	r := start(t, "-w", "--kubeconfig", s.kubeconfig(t))
	r.await("worker-4 STUCK")
	s.set(newPool("master", "rendered-master-2"))
	r.await("master 0/0 target 2")
	s.remove(nodesResource, "worker-0")
	r.await("worker-0 deleted") // both are watched
	rejected := make(chan bool, 100)
	s.mu.Lock()
	s.fail = func(string, string) int {
		select {
		case rejected <- true:
		default:
		}
		return http.StatusUnauthorized
	}
	s.mu.Unlock()
	s.CloseClientConnections()
	<-rejected
	<-rejected
	s.mu.Lock()
	s.fail = nil
	s.mu.Unlock()
	s.set(newPool("worker", "rendered-worker-33333333"))
	r.await("target 33333333")
	r.cancel()
	code, _, _ := r.end()
	assert.Equal(t, exitInterrupted, code)
	s.mu.Lock()
	defer s.mu.Unlock()
	assert.Zero(t, s.dated, "the newest state is listed")
}
