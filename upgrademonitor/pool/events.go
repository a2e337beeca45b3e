package pool

import (
	"fmt"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
)

// The reasons of the events of a MachineConfigPool.
const (
	EventUpdating  = "Updating"  // the pool starts to update to a MachineConfig
	EventCompleted = "Completed" // all machines have the MachineConfig and are ready
)

// Event is an event of a MachineConfigPool. Pass the fields in this order to EventRecorder.Event.
type Event struct {
	Type, Reason, Message string
}

// Events returns the events to record after a pool's status was written. before is the status
// before the write, and after is the status that Status returned. Each MachineConfig causes two
// events: EventUpdating when the pool starts to update to the MachineConfig, and EventCompleted
// when the MachineConfig becomes status.configuration. A pause, a cordon, a restart of the
// controller, or (as in machine-config-operator) an update of only the image causes no event.
//
// If the pool's MachineConfig changes again before any machine has the previous MachineConfig, only
// observedGeneration shows the change, and other changes of the spec look the same. So until a
// machine has the new MachineConfig, any change of the spec, except of spec.paused, causes
// EventUpdating.
func Events(pool *mcfgv1.MachineConfigPool, before, after mcfgv1.MachineConfigPoolStatus) []Event {
	target := pool.Spec.Configuration.Name
	var events []Event
	if isAnnounced(target, before, after) {
		events = append(events, Event{corev1.EventTypeNormal, EventUpdating, fmt.Sprintf("Pool %s now targeting %s", pool.Name, configOf(target))})
	}
	if after.Configuration.Name == target && before.Configuration.Name != target {
		events = append(events, Event{corev1.EventTypeNormal, EventCompleted, fmt.Sprintf("Pool %s has completed update to %s", pool.Name, configOf(target))})
	}
	return events
}

// isAnnounced reports whether the pool starts to update to the target.
func isAnnounced(target string, before, after mcfgv1.MachineConfigPoolStatus) bool {
	if target == "" || target == before.Configuration.Name || isTrue(after.Conditions, mcfgv1.MachineConfigPoolUpdated) {
		return false
	}
	if at := find(before.Conditions, mcfgv1.MachineConfigPoolUpdated); at < 0 || before.Conditions[at].Status == corev1.ConditionTrue {
		return true
	}
	return before.ObservedGeneration != after.ObservedGeneration && after.UpdatedMachineCount == 0 && isPaused(before) == isPaused(after)
}

// isPaused reports whether the reason of Updating says that the pool is paused.
func isPaused(status mcfgv1.MachineConfigPoolStatus) bool {
	at := find(status.Conditions, mcfgv1.MachineConfigPoolUpdating)
	return at >= 0 && strings.HasPrefix(status.Conditions[at].Reason, reasonPaused)
}
