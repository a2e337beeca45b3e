package upgrademonitor_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// receive returns what a channel gives. The test fails where that takes a time that no machine
// needs, not as late as all of them.
func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	var value T
	select {
	case value = <-from:
	case <-time.After(30 * time.Second):
		require.FailNow(t, "waited in vain", what)
	}
	return value
}
