package cluster

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// timeout limits each wait for a server. It is long enough for a busy machine.
const timeout = 2 * time.Minute

// eventually calls check until it returns nil. The error wraps the last error of check.
func eventually(ctx context.Context, what string, check func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, timeout, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w, the last attempt: %w", what, err, last)
	}
	return nil
}
