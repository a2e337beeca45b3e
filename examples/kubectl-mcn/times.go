package main

import (
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// newestTime returns the newest time in an object that is not after another time.
func newestTime(obj runtime.Object, last time.Time) time.Time {
	var newest time.Time
	see := func(t *metav1.Time) {
		if t != nil && !t.After(last) {
			newest = later(newest, t.Time)
		}
	}
	meta := func(m *metav1.ObjectMeta) {
		see(&m.CreationTimestamp)
		see(m.DeletionTimestamp)
		for i := range m.ManagedFields {
			see(m.ManagedFields[i].Time)
		}
	}
	switch o := obj.(type) {
	case *mcfgv1.MachineConfigNode:
		meta(&o.ObjectMeta)
		for i := range o.Status.Conditions {
			see(&o.Status.Conditions[i].LastTransitionTime)
		}
	case *mcfgv1.MachineConfigPool:
		meta(&o.ObjectMeta)
		for i := range o.Status.Conditions {
			see(&o.Status.Conditions[i].LastTransitionTime)
		}
	}
	return newest
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
