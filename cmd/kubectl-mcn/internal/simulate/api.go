package simulate

import (
	"errors"
	"reflect"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
)

// api adds to the tracker of a fake clientset what the controllers need of an API server: UIDs, generations,
// conflicts, and times on the clock of the cluster. The clientset makes one call at a time.
type api struct {
	clienttesting.ObjectTracker
	versions map[schema.GroupVersionResource]int64 // the same as the tracker's own, for watches
	clock    fastClock
}

func init() { watch.DefaultChanSize = 1 << 16 } // a watch of the tracker panics when it is full

// serve replaces the tracker of a clientset.
func serve(fake *clienttesting.Fake, tracker clienttesting.ObjectTracker, clock fastClock) {
	a := &api{ObjectTracker: tracker, versions: map[schema.GroupVersionResource]int64{}, clock: clock}
	fake.PrependReactor("*", "*", clienttesting.ObjectReaction(a))
	fake.PrependWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
		w, err := a.Watch(action.GetResource(), action.GetNamespace())
		return true, w, err
	})
}

// Create creates an object.
func (a *api) Create(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.CreateOptions) error {
	return a.write(gvr, obj, nil, func() error { return a.ObjectTracker.Create(gvr, obj, ns, opts...) })
}

// Patch replaces an object by the result of a patch. Its managed fields are those of the tracker.
func (a *api) Patch(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.PatchOptions) error {
	object, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	live, err := a.Get(gvr, ns, object.GetName())
	if err != nil {
		return err
	}
	if before, err := meta.Accessor(live); err == nil {
		object.SetManagedFields(before.GetManagedFields())
	}
	return a.write(gvr, obj, live, func() error { return a.ObjectTracker.Patch(gvr, obj, ns, opts...) })
}

// write sets the metadata of an object, and writes it over the live one, nil for none.
func (a *api) write(gvr schema.GroupVersionResource, obj, live runtime.Object, write func() error) error {
	object, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	before := metav1.Object(&metav1.ObjectMeta{})
	if live != nil {
		if before, err = meta.Accessor(live); err != nil {
			return err
		}
	}
	if object.GetResourceVersion() != "" && object.GetResourceVersion() != before.GetResourceVersion() {
		return apierrors.NewConflict(gvr.GroupResource(), object.GetName(), errors.New("the object has been modified"))
	}
	object.SetGeneration(before.GetGeneration())
	if live == nil {
		object.SetUID(uuid.NewUUID())
		object.SetCreationTimestamp(metav1.NewTime(a.clock.Now()))
		object.SetGeneration(1)
	} else if spec := specOf(obj); spec != nil && !reflect.DeepEqual(spec, specOf(live)) {
		object.SetGeneration(before.GetGeneration() + 1)
	}
	version := max(1, a.versions[gvr]) + 1
	object.SetResourceVersion(strconv.FormatInt(version, 10))
	if err := write(); err != nil {
		return err
	}
	a.versions[gvr] = version
	return nil
}

func specOf(obj runtime.Object) any {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil
	}
	return fields["spec"]
}

// List returns a copy of all objects.
func (a *api) List(gvr schema.GroupVersionResource, gvk schema.GroupVersionKind, ns string, opts ...metav1.ListOptions) (runtime.Object, error) {
	list, err := a.ObjectTracker.List(gvr, gvk, ns, opts...)
	if err != nil {
		return nil, err
	}
	return list, meta.EachListItem(list, a.convertTimes)
}

// convertTimes converts the times that the tracker sets in managed fields, which are real.
func (a *api) convertTimes(obj runtime.Object) error {
	object, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	fields := object.GetManagedFields()
	for i := range fields {
		if t := fields[i].Time; t != nil {
			fields[i].Time = &metav1.Time{Time: a.clock.convert(t.Time)}
		}
	}
	return nil
}

// Watch delivers copies of the objects and their changes. A watch of the tracker delivers the stored objects
// themselves.
func (a *api) Watch(gvr schema.GroupVersionResource, ns string, opts ...metav1.ListOptions) (watch.Interface, error) {
	source, err := a.ObjectTracker.Watch(gvr, ns, opts...)
	if err != nil {
		return nil, err
	}
	return watch.Filter(source, func(e watch.Event) (watch.Event, bool) {
		e.Object = e.Object.DeepCopyObject()
		return e, a.convertTimes(e.Object) == nil
	}), nil
}
