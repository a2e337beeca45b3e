package progress

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsFailure(t *testing.T) {
	for _, test := range []struct {
		node, message string
		want          bool
	}{
		{"worker-0", "", false},
		{"failover-1", "Draining failover-1", false},
		{"fail", "Draining node Fail.", false},
		{"fail", "error: fail", true},
		{"error.example.com", "Cordoning error.example.com: 2 of 3", false},
		{"worker-0", "Pod failed-job-1 evicted from no-errors.example.com", false},
		{"worker-0", "Applied mirror_errors, terror and nofail", false},
		{"worker-0", "Draining: out of time, timed in", false},
		{"failover-1", "Drain of failover-1 failed", true},
		{"worker-0", "Pod would violate the pod's disruption budget.", true},
		{"worker-0", "global timeout reached: 1m30s", true},
		{"worker-0", "Cannot evict pod", true},
		{"worker-0", "context deadline: Timed out.", true},
		{"worker-0", "the file could not be written", true},
		{"worker-0", "connection refused", true},
		{"worker-0", "[error]", true},
		{"worker-0", `error when evicting pods/"a" -n "b"`, true},
	} {
		assert.Equal(t, test.want, isFailure(test.node, "", test.message), test)
	}
	assert.True(t, isFailure("worker-0", "Draining", "Draining: no"), "an error is appended")
}
