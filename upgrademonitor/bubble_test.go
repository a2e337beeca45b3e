package upgrademonitor_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
)

// inBubble runs a test in fake time.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

func nodeNames(i int) string { return fmt.Sprint("worker-", i) }

func (f *fixture) provision() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.node = f.node.DeepCopy()
	f.node.Status.Phase = corev1.NodeRunning
}
