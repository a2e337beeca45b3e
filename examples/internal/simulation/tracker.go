package simulation

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Tracker knows what a display has shown. It is safe for concurrent use.
type Tracker struct {
	changed chan struct{} // holds an entry after a change

	mu       sync.Mutex // guards versions
	versions map[string]string
}

// NewTracker returns a Tracker of a display that has shown nothing.
func NewTracker() *Tracker {
	return &Tracker{changed: make(chan struct{}, 1), versions: map[string]string{}}
}

// Shown records an object that the display has shown.
func (t *Tracker) Shown(object metav1.Object) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.versions[keyOf(object)] = object.GetResourceVersion()
	wake(t.changed)
}

// Wait waits until an object is shown as it is. One goroutine at a time may wait.
func (t *Tracker) Wait(ctx context.Context, object metav1.Object) error {
	for !t.has(object) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-t.changed:
		}
	}
	return nil
}

func (t *Tracker) has(object metav1.Object) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	version, ok := t.versions[keyOf(object)]
	return ok && version == object.GetResourceVersion()
}

// keyOf returns a key of an object among those of all kinds.
func keyOf(object metav1.Object) string {
	return fmt.Sprintf("%T/%s", object, object.GetName())
}
