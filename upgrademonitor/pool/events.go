package pool

import (
	"fmt"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
)

// The reasons of the events of a MachineConfigPool: its nodes begin to be updated to a target, and all
// of them have it. Each is recorded once a target.
const (
	EventUpdating  = "Updating"
	EventCompleted = "Completed"
)

// announced is the target of the last event of a pool, and whether it was that of its completion.
type announced struct {
	target    string
	completed bool
}

// announcedBy returns what was announced of a target when a status was written that says this of it.
func announcedBy(status mcfgv1.MachineConfigPoolStatus, target string) announced {
	for _, c := range status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch {
		case c.Type == mcfgv1.MachineConfigPoolUpdated && saysOf(c.Message, allUpdated, target):
			return announced{target, true}
		case c.Type == mcfgv1.MachineConfigPoolUpdating && saysOf(c.Message, allUpdating, target):
			return announced{target, false}
		}
	}
	return announced{}
}

func saysOf(message, beginning, target string) bool {
	return message == beginning+target || strings.HasPrefix(message, beginning+target+". ")
}

// recordEvent records what a write of a pool's status has announced. After a restart, the status before
// it tells what had been.
func (r *reconciler) recordEvent(before *mcfgv1.MachineConfigPool, after mcfgv1.MachineConfigPoolStatus, target string) {
	last, known := r.announced.Get(before.Name)
	if !known {
		last = announcedBy(before.Status, target)
	}
	next := announcedBy(after, target)
	if next == (announced{}) || next == last || next.target == last.target && last.completed {
		next = last // updated again to the same target, a drift that was repaired for example
	}
	r.announced.Set(before.Name, next)
	if next == last || r.config.Recorder == nil {
		return
	}
	// A reference, so that the recorder's scheme need not contain the type.
	pool := &corev1.ObjectReference{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfigPool", Name: before.Name, UID: before.UID}
	reason, message := EventUpdating, fmt.Sprintf("Pool %s now targeting %s", before.Name, target)
	if next.completed {
		reason, message = EventCompleted, fmt.Sprintf("Pool %s has completed update to %s", before.Name, target)
	}
	r.config.Recorder.Event(pool, corev1.EventTypeNormal, reason, message)
}
