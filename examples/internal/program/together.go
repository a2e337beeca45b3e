package program

import (
	"context"
	"errors"
)

// Together runs functions until one of them returns, then ends the context of the others and
// waits for them. It returns their errors.
func Together(ctx context.Context, functions ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, len(functions))
	for _, run := range functions {
		go func() { ended <- run(ctx) }()
	}
	var errs []error
	for range functions {
		errs = append(errs, <-ended)
		cancel()
	}
	return errors.Join(errs...)
}
