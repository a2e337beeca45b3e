package pool

import (
	"fmt"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/internal/poolwords"
)

// Event is an event of a MachineConfigPool. Pass its fields in this order to EventRecorder.Event.
type Event struct {
	Type, Reason, Message string
}

// Events returns the events to record after a pool's status was written. before is the status
// before the write, and after is the status that Status returned.
//
//  1. Each MachineConfig causes two events: Updating when the pool starts to update to the
//     MachineConfig, and Completed when the MachineConfig becomes status.configuration. The events of
//     a layered pool also name its image, so Updating waits until the image is built.
//  2. A pause, a cordon, a restart of the controller, or an update of only the image causes no event.
//  3. Until a node has the new MachineConfig, any change of the spec except spec.paused causes
//     another event Updating, because the status does not show which field of the spec has changed.
func Events(pool *mcfgv1.MachineConfigPool, before, after mcfgv1.MachineConfigPoolStatus) []Event {
	config := pool.Spec.Configuration.Name
	target := poolwords.Target(config, poolwords.ReadImage(get(after.Conditions, mcfgv1.MachineConfigPoolUpdated).Message, config))
	var events []Event
	if isAnnounced(config, before, after) {
		message := fmt.Sprintf("Pool %s now targeting %s", pool.Name, target)
		events = append(events, Event{corev1.EventTypeNormal, "Updating", message})
	}
	if after.Configuration.Name == config && before.Configuration.Name != config {
		message := fmt.Sprintf("Pool %s has completed update to %s", pool.Name, target)
		events = append(events, Event{corev1.EventTypeNormal, "Completed", message})
	}
	return events
}

// isAnnounced reports whether the change of the status from before to after causes the event Updating.
func isAnnounced(config string, before, after mcfgv1.MachineConfigPoolStatus) bool {
	switch {
	case config == "" || config == before.Configuration.Name:
		return false
	case isTrue(after.Conditions, mcfgv1.MachineConfigPoolUpdated), lacksImage(after):
		return false
	case get(before.Conditions, mcfgv1.MachineConfigPoolUpdated).Status != corev1.ConditionFalse, lacksImage(before):
		return true
	}
	isNewSpec := before.ObservedGeneration != after.ObservedGeneration
	return isNewSpec && after.UpdatedMachineCount == 0 && isPaused(before) == isPaused(after)
}

// lacksImage reports whether the message of Updated says that the image of the pool is not built.
func lacksImage(status mcfgv1.MachineConfigPoolStatus) bool {
	_, _, is := poolwords.ReadBuild(get(status.Conditions, mcfgv1.MachineConfigPoolUpdated).Message)
	return is
}

// isPaused reports whether the reason of Updating says that the pool is paused.
func isPaused(status mcfgv1.MachineConfigPoolStatus) bool {
	return strings.HasPrefix(get(status.Conditions, mcfgv1.MachineConfigPoolUpdating).Reason, reasonPaused)
}
