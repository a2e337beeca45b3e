package upgrademonitor_test

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// inBubble runs a test in fake time.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

func nodeNames(i int) string { return fmt.Sprint("worker-", i) }
