package bounded

import (
	"context"
	"time"
)

// gracePeriod is how long a client may take to return when its context has ended.
const gracePeriod = 20 * time.Millisecond

// Call makes a request, and returns when ctx ends even if the client does not: a transport
// that ignores its context, or a reactor of a fake clientset, may block. Its late result is dropped.
func Call[T any](ctx context.Context, request func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	results := make(chan result, 1)
	go func() {
		value, err := request()
		results <- result{value, err}
	}()
	select {
	case r := <-results:
		return r.value, r.err
	case <-ctx.Done():
	}
	grace := time.NewTimer(gracePeriod)
	defer grace.Stop()
	select {
	case r := <-results:
		return r.value, r.err
	case <-grace.C:
		var none T
		return none, ctx.Err()
	}
}
