package memory

import (
	"errors"
	"reflect"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	clienttesting "k8s.io/client-go/testing"
)

// store adds what an API server does and the tracker of a fake clientset does not:
//
//  1. A new object gets a UID and its creation time.
//  2. Each write changes the resource version, and one that changes the spec the generation.
//     An apply with a spec counts as such a change.
//  3. A write with another resource version or UID than the object's is a conflict.
//  4. An apply without a spec, which is one of a status, does not create.
//
// It does not validate, does not separate spec and status, and a list in a MachineConfigNode or
// a MachineConfigPool has one owner, not one for each entry. The clientset makes one call at a
// time.
type store struct {
	clienttesting.ObjectTracker
	versions map[schema.GroupVersionResource]int64 // the same as the tracker's own, for watches
	convert  func(time.Time) time.Time             // of the times in metadata
}

func newStore(tracker clienttesting.ObjectTracker) *store {
	return &store{ObjectTracker: tracker, versions: map[schema.GroupVersionResource]int64{}, convert: func(t time.Time) time.Time { return t }}
}

// Create creates an object.
func (s *store) Create(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.CreateOptions) error {
	return s.write(gvr, obj, nil, func() error { return s.ObjectTracker.Create(gvr, obj, ns, opts...) })
}

// Update replaces an object.
func (s *store) Update(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.UpdateOptions) error {
	return s.overwrite(gvr, obj, ns, func() error { return s.ObjectTracker.Update(gvr, obj, ns, opts...) })
}

// Patch replaces an object by the result of a patch.
func (s *store) Patch(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.PatchOptions) error {
	return s.overwrite(gvr, obj, ns, func() error { return s.ObjectTracker.Patch(gvr, obj, ns, opts...) })
}

// Apply merges the fields of a field manager into an object, or creates it.
func (s *store) Apply(gvr schema.GroupVersionResource, apply runtime.Object, ns string, opts ...metav1.PatchOptions) error {
	applied, err := meta.Accessor(apply)
	if err != nil {
		return err
	}
	live, err := s.ObjectTracker.Get(gvr, ns, applied.GetName())
	if err != nil && (!apierrors.IsNotFound(err) || specOf(apply) == nil) {
		return err
	}
	return s.write(gvr, apply, live, func() error { return s.ObjectTracker.Apply(gvr, apply, ns, opts...) })
}

// Delete removes an object that meets the preconditions.
func (s *store) Delete(gvr schema.GroupVersionResource, ns, name string, opts ...metav1.DeleteOptions) error {
	live, err := s.ObjectTracker.Get(gvr, ns, name)
	if err != nil {
		return err
	}
	var want metav1.ObjectMeta
	for _, o := range opts {
		if p := o.Preconditions; p != nil && p.UID != nil {
			want.UID = *p.UID
		}
		if p := o.Preconditions; p != nil && p.ResourceVersion != nil {
			want.ResourceVersion = *p.ResourceVersion
		}
	}
	if err := check(gvr, name, &want, live); err != nil {
		return err
	}
	return s.ObjectTracker.Delete(gvr, ns, name, opts...)
}

// overwrite writes an object that exists. Its managed fields are those of the tracker.
func (s *store) overwrite(gvr schema.GroupVersionResource, obj runtime.Object, ns string, write func() error) error {
	object, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	live, err := s.ObjectTracker.Get(gvr, ns, object.GetName())
	if err != nil {
		return err
	}
	before, err := meta.Accessor(live)
	if err != nil {
		return err
	}
	object.SetManagedFields(before.GetManagedFields())
	return s.write(gvr, obj, live, write)
}

// write stamps an object and writes it over the live one, nil for none.
func (s *store) write(gvr schema.GroupVersionResource, obj, live runtime.Object, write func() error) error {
	object, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	if err := check(gvr, object.GetName(), object, live); err != nil {
		return err
	}
	version := max(1, s.versions[gvr]) + 1
	if err := s.stamp(object, obj, live, version); err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	s.versions[gvr] = version
	return nil
}

// check compares the resource version and UID that a write expects with the live ones.
func check(gvr schema.GroupVersionResource, name string, want metav1.Object, live runtime.Object) error {
	var found metav1.Object = &metav1.ObjectMeta{}
	if live != nil {
		var err error
		if found, err = meta.Accessor(live); err != nil {
			return err
		}
	}
	sameUID := want.GetUID() == "" || live == nil || want.GetUID() == found.GetUID()
	sameVersion := want.GetResourceVersion() == "" || want.GetResourceVersion() == found.GetResourceVersion()
	if !sameUID || !sameVersion {
		return apierrors.NewConflict(gvr.GroupResource(), name, errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	}
	return nil
}

func (s *store) stamp(object metav1.Object, obj, live runtime.Object, version int64) error {
	object.SetResourceVersion(strconv.FormatInt(version, 10))
	if live == nil {
		if object.GetUID() == "" {
			object.SetUID(uuid.NewUUID())
		}
		object.SetCreationTimestamp(metav1.NewTime(s.convert(time.Now())))
		object.SetGeneration(1)
		return nil
	}
	before, err := meta.Accessor(live)
	if err != nil {
		return err
	}
	object.SetGeneration(before.GetGeneration())
	if spec := specOf(obj); spec != nil && !reflect.DeepEqual(spec, specOf(live)) {
		object.SetGeneration(before.GetGeneration() + 1)
	}
	return nil
}

// specOf returns the spec of an object, nil for none.
func specOf(obj runtime.Object) any {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil
	}
	return fields["spec"]
}
