package memory

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
)

// Watch delivers the objects and their changes. A watch of the tracker panics at a hundred
// unread events, and delivers the stored objects themselves.
func (s *store) Watch(gvr schema.GroupVersionResource, ns string, opts ...metav1.ListOptions) (watch.Interface, error) {
	source, err := s.ObjectTracker.Watch(gvr, ns, opts...)
	if err != nil {
		return nil, err
	}
	r := &relay{source: source, convert: s.convertTimes, result: make(chan watch.Event), stopped: make(chan struct{})}
	go r.run()
	return r, nil
}

// react is the watch reactor of a clientset.
func (s *store) react(action clienttesting.Action) (bool, watch.Interface, error) {
	var opts metav1.ListOptions
	if a, ok := action.(clienttesting.WatchActionImpl); ok {
		opts = a.ListOptions
	}
	w, err := s.Watch(action.GetResource(), action.GetNamespace(), opts)
	return true, w, err
}

// relay delivers copies of the events of another watch, and buffers those that are unread.
type relay struct {
	source  watch.Interface
	convert func(runtime.Object) error // of each copy
	result  chan watch.Event
	stopped chan struct{}
	stop    sync.Once
}

func (r *relay) ResultChan() <-chan watch.Event { return r.result }

func (r *relay) Stop() {
	r.stop.Do(func() {
		close(r.stopped)
		r.source.Stop()
	})
}

func (r *relay) run() {
	defer close(r.result)
	var unread []watch.Event
	for {
		var next watch.Event
		var to chan<- watch.Event // nil, which blocks, without unread events
		if len(unread) > 0 {
			next, to = unread[0], r.result
		}
		select {
		case <-r.stopped:
			return
		case to <- next:
			unread = unread[1:]
		case event, ok := <-r.source.ResultChan():
			if !ok {
				return
			}
			object := event.Object.DeepCopyObject()
			if err := r.convert(object); err != nil {
				return
			}
			unread = append(unread, watch.Event{Type: event.Type, Object: object})
		}
	}
}
