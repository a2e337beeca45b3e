package main

import (
	"strconv"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
)

// inMemory returns a clientset that holds its objects in memory.
func inMemory() mcfgclientset.Interface {
	clientset := mcfgfake.NewClientset()
	objects := &versioned{ObjectTracker: clientset.Tracker(), version: 1}
	clientset.PrependReactor("*", "machineconfignodes", clienttesting.ObjectReaction(objects))
	return clientset
}

// versioned gives objects what an API server gives them and the fake clientset does not: a
// resource version, which the rows wait for, and a generation, which the status observes.
// The clientset makes one call at a time.
type versioned struct {
	clienttesting.ObjectTracker
	version int64
}

// Create is the first write of an object.
func (v *versioned) Create(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.CreateOptions) error {
	if err := v.stamp(obj, true); err != nil {
		return err
	}
	return v.ObjectTracker.Create(gvr, obj, ns, opts...)
}

// Patch is a write of the spec: what the library patches.
func (v *versioned) Patch(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.PatchOptions) error {
	if err := v.stamp(obj, true); err != nil {
		return err
	}
	return v.ObjectTracker.Patch(gvr, obj, ns, opts...)
}

// Apply is a write of the status: what the library applies.
func (v *versioned) Apply(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.PatchOptions) error {
	if err := v.stamp(obj, false); err != nil {
		return err
	}
	return v.ObjectTracker.Apply(gvr, obj, ns, opts...)
}

func (v *versioned) stamp(obj runtime.Object, spec bool) error {
	object, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	v.version++
	object.SetResourceVersion(strconv.FormatInt(v.version, 10))
	if spec {
		object.SetGeneration(object.GetGeneration() + 1)
	}
	return nil
}
