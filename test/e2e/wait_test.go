package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"
)

// eventually waits until a check succeeds. what is the message, as in testify.
func eventually(t *testing.T, check func() bool, what ...any) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 5*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		return check(), nil
	})
	require.NoError(t, err, what...)
}
