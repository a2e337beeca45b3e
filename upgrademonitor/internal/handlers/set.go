package handlers

import (
	"context"
	"errors"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Set is the event handlers of one run of a controller. The zero value is empty. It is not
// safe for concurrent use.
type Set struct {
	registered []registered
}

type registered struct {
	informer     cache.SharedIndexInformer
	registration cache.ResourceEventHandlerRegistration
}

// Add adds a handler to an informer, which logs through ctx. An informer that has been stopped
// is an error.
func (s *Set) Add(ctx context.Context, informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) error {
	logger := klog.FromContext(ctx)
	registration, err := informer.AddEventHandlerWithOptions(handler, cache.HandlerOptions{Logger: &logger})
	if err != nil {
		return err
	}
	s.registered = append(s.registered, registered{informer, registration})
	return nil
}

// Synced returns what to wait for until every handler has been called for each object of the
// first list.
func (s *Set) Synced() []cache.DoneChecker {
	checkers := make([]cache.DoneChecker, len(s.registered))
	for i, r := range s.registered {
		checkers[i] = r.registration.HasSyncedChecker()
	}
	return checkers
}

// Remove removes the handlers, so that the informers call them no more.
func (s *Set) Remove() error {
	var errs []error
	for _, r := range s.registered {
		errs = append(errs, r.informer.RemoveEventHandler(r.registration))
	}
	s.registered = nil
	return errors.Join(errs...)
}
