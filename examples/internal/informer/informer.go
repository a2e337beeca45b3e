// Package informer configures the informers of the examples.
package informer

import (
	"context"

	"k8s.io/client-go/tools/cache"
)

// LogWatchErrors lets informers log why a watch failed, unless the program is ending.
func LogWatchErrors(informers ...cache.SharedIndexInformer) error {
	for _, i := range informers {
		if err := i.SetWatchErrorHandlerWithContext(logUnlessEnded); err != nil {
			return err
		}
	}
	return nil
}

func logUnlessEnded(ctx context.Context, r *cache.Reflector, err error) {
	if ctx.Err() == nil {
		cache.DefaultWatchErrorHandler(ctx, r, err)
	}
}
