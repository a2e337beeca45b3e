package controller

import (
	"context"
	"errors"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Source is an informer, and what handles its events.
type Source struct {
	Informer cache.SharedIndexInformer
	Handler  cache.ResourceEventHandler
}

// On returns a Source of objects of one type. changed is called with two states of an object, of
// which before is nil if it was created, and after if it was deleted.
func On[T any](informer cache.SharedIndexInformer, changed func(before, after *T)) Source {
	call := func(before, after any) {
		if b, a := objectOf[T](before), objectOf[T](after); b != nil || a != nil {
			changed(b, a)
		}
	}
	return Source{informer, cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { call(nil, obj) },
		UpdateFunc: call,
		DeleteFunc: func(obj any) { call(obj, nil) },
	}}
}

// objectOf returns the object of an event, or the last known state of one whose deletion the watch
// has missed.
func objectOf[T any](obj any) *T {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	object, _ := obj.(*T)
	return object
}

// listen registers handlers. It returns what to wait for until each was called for all objects
// of the first list, and what removes them. A Source whose informer has been stopped is an error.
func listen(ctx context.Context, sources []Source) (synced []cache.DoneChecker, remove func() error, err error) {
	logger := klog.FromContext(ctx)
	var removals []func() error
	remove = func() error {
		var errs []error
		for _, r := range removals {
			errs = append(errs, r())
		}
		return errors.Join(errs...)
	}
	for _, s := range sources {
		registration, err := s.Informer.AddEventHandlerWithOptions(s.Handler, cache.HandlerOptions{Logger: &logger})
		if err != nil {
			return nil, remove, err
		}
		synced = append(synced, registration.HasSyncedChecker())
		removals = append(removals, func() error { return s.Informer.RemoveEventHandler(registration) })
	}
	return synced, remove, nil
}
