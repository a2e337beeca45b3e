package memory

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The tracker sets the real time in managed fields. It is converted when it is read.

// Get returns a copy of an object.
func (s *store) Get(gvr schema.GroupVersionResource, ns, name string, opts ...metav1.GetOptions) (runtime.Object, error) {
	obj, err := s.ObjectTracker.Get(gvr, ns, name, opts...)
	if err != nil {
		return nil, err
	}
	return obj, s.convertTimes(obj)
}

// List returns a copy of all objects.
func (s *store) List(gvr schema.GroupVersionResource, gvk schema.GroupVersionKind, ns string, opts ...metav1.ListOptions) (runtime.Object, error) {
	list, err := s.ObjectTracker.List(gvr, gvk, ns, opts...)
	if err != nil {
		return nil, err
	}
	return list, meta.EachListItem(list, s.convertTimes)
}

// convertTimes converts the times of an object's managed fields.
func (s *store) convertTimes(obj runtime.Object) error {
	object, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	fields := object.GetManagedFields()
	for i := range fields {
		if t := fields[i].Time; t != nil {
			converted := metav1.NewTime(s.convert(t.Time))
			fields[i].Time = &converted
		}
	}
	return nil
}
