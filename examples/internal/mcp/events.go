package mcp

import (
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
)

// Events records an Event when the update of a pool starts, and when it completes. It is the
// handler of an informer.
type Events struct {
	Recorder record.EventRecorder
}

var _ cache.ResourceEventHandler = Events{}

// OnAdd does nothing: the conditions of a pool at the start are no transition.
func (Events) OnAdd(any, bool) {}

// OnUpdate compares the conditions of a pool with those before.
func (e Events) OnUpdate(before, after any) {
	from, ok := before.(*mcfgv1.MachineConfigPool)
	to, okToo := after.(*mcfgv1.MachineConfigPool)
	if !ok || !okToo || from.UID != to.UID {
		return
	}
	if becameTrue(from, to, mcfgv1.MachineConfigPoolUpdating) {
		e.record(to, "Updating", "Pool %s is updating to %s", to.Name, to.Spec.Configuration.Name)
	}
	if becameTrue(from, to, mcfgv1.MachineConfigPoolUpdated) && wasBehind(from, to) {
		e.record(to, "Completed", "Pool %s has completed its update to %s", to.Name, to.Status.Configuration.Name)
	}
}

// OnDelete does nothing.
func (Events) OnDelete(any) {}

// becameTrue reports whether a condition has changed from False to True. A pool that gets its
// first status has not.
func becameTrue(from, to *mcfgv1.MachineConfigPool, condition mcfgv1.MachineConfigPoolConditionType) bool {
	return Condition(from, condition).Status == corev1.ConditionFalse && IsTrue(to, condition)
}

// wasBehind reports whether a pool that is Updated was updating before, or had another config.
// Otherwise its nodes have reported for the first time.
func wasBehind(from, to *mcfgv1.MachineConfigPool) bool {
	config := from.Status.Configuration.Name
	return IsTrue(from, mcfgv1.MachineConfigPoolUpdating) || config != "" && config != to.Status.Configuration.Name
}

// record records an Event of a pool. It names the pool by a reference: the recorder's scheme
// need not know its type.
func (e Events) record(p *mcfgv1.MachineConfigPool, reason, format string, args ...any) {
	regarding := &corev1.ObjectReference{
		APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfigPool",
		Name: p.Name, UID: p.UID, ResourceVersion: p.ResourceVersion,
	}
	e.Recorder.Event(regarding, corev1.EventTypeNormal, reason, fmt.Sprintf(format, args...))
}
