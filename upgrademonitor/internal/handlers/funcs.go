package handlers

import "k8s.io/client-go/tools/cache"

// Funcs is a cache.ResourceEventHandler of one type of object. A function that is nil is not
// called, nor is any for an object of another type. Delete gets the last known state of an
// object whose deletion the watch has missed.
type Funcs[T any] struct {
	Add    func(obj T)
	Update func(before, after T)
	Delete func(obj T)
}

var _ cache.ResourceEventHandler = Funcs[any]{}

// OnAdd calls Add.
func (f Funcs[T]) OnAdd(obj any, _ bool) {
	if object, ok := obj.(T); ok && f.Add != nil {
		f.Add(object)
	}
}

// OnUpdate calls Update.
func (f Funcs[T]) OnUpdate(before, after any) {
	b, ok := before.(T)
	a, also := after.(T)
	if ok && also && f.Update != nil {
		f.Update(b, a)
	}
}

// OnDelete calls Delete.
func (f Funcs[T]) OnDelete(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	if object, ok := obj.(T); ok && f.Delete != nil {
		f.Delete(object)
	}
}
