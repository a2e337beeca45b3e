package main

import (
	"sync"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// trimmedWatch forwards the events of another watch with trimmed objects.
type trimmedWatch struct {
	source  watch.Interface
	events  chan watch.Event
	stopped chan struct{}
	once    sync.Once
}

func (w *trimmedWatch) ResultChan() <-chan watch.Event { return w.events }

func (w *trimmedWatch) Stop() {
	w.once.Do(func() {
		close(w.stopped)
		w.source.Stop()
	})
}

func (w *trimmedWatch) run(f follower) {
	defer close(w.events)
	for event := range w.source.ResultChan() {
		now := f.cluster.now()
		if event.Type != watch.Error {
			f.store.contact(f.resource.name, now)
			event.Object = f.trim(event)
		}
		select {
		case w.events <- event:
		case <-w.stopped:
			return
		}
	}
	select {
	case <-w.stopped:
	default:
		f.store.lostContact(f.resource.name, f.cluster.now()) // until the next watch
	}
}

// trim returns the object of an event without unneeded fields. A deleted one is not added to the
// history.
func (f follower) trim(event watch.Event) runtime.Object {
	if mcn, ok := event.Object.(*mcfgv1.MachineConfigNode); ok && event.Type == watch.Deleted {
		return &trimmedNode{ObjectMeta: trimMeta(mcn.ObjectMeta)}
	}
	return f.trimmer.transform(event.Object)
}
