package progress

import (
	"cmp"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// notYetSet are the values of a desired config that is not known yet, in v1 and v1alpha1.
var notYetSet = []string{"", "not-yet-set", "NotYetSet"}

// FromMachineConfigNode reads one MachineConfigNode. For nil it returns a node without a name, in
// state Unreported.
//
//  1. The duration of a finished step is the time since the previous step finished, or since the
//     update started. The durations add up to the time from the start until the last step finished.
//  2. Since does not use the time of the running step's condition: some daemons change it with each
//     message.
//  3. A step is Skipped if it was reported as not required, or if a later step has started. It is
//     Failed if it has reported an error, and is no longer running.
//  4. Requested is the newest time in managedFields at which the spec was written. It is not known
//     if the spec never changed, or if managedFields were removed.
//  5. No node is Waiting or Idle, because the object does not have the target of the pool. The
//     function Pools sets these states.
//  6. A degraded node is Stuck, whether it is in an update or not.
//  7. A node is in an update while it does not have its desired config and image. It is also in an
//     update while Updated is not True and a step that runs only during an update has started.
//     Updated=False alone does not count, because some daemons report it when they restart: the
//     node is Done.
//  8. Message is the message of NodeDegraded, without the name of the node, or else the message of
//     the running step. After an hour, the daemon reports a failing drain in NodeDegraded, but
//     without the cause: then Message is the error in Drained.
//  9. If times are out of order, the duration is zero.
func FromMachineConfigNode(mcn *mcfgv1.MachineConfigNode) Node {
	if mcn == nil {
		return Node{State: Unreported}
	}
	list := mcn.Status.Conditions
	n := Node{
		Name:      cmp.Or(mcn.Name, mcn.Spec.Node.Name),
		UID:       mcn.UID,
		Pool:      mcn.Spec.Pool.Name,
		Desired:   Target{Config: mcn.Spec.ConfigVersion.Desired, Image: string(mcn.Spec.ConfigImage.DesiredImage)},
		Current:   Target{Image: string(mcn.Status.ConfigImage.CurrentImage)},
		Requested: requested(mcn),
	}
	n.Degraded, n.DegradedSince = sinceTrue(list, phases.NodeDegraded)
	if version := mcn.Status.ConfigVersion; version != nil {
		n.Current.Config = version.Current
		if slices.Contains(notYetSet, n.Desired.Config) {
			n.Desired.Config = version.Desired
		}
	}
	n.readSteps(list)
	n.readCause(list)
	if n.Degraded {
		n.State = Stuck
	}
	n.PinnedImageSets = pinnedImageSets(&mcn.Status)
	return n
}

// readSteps sets the steps, the state without the target of the pool, and the fields that depend on
// them.
func (n *Node) readSteps(list []metav1.Condition) {
	isUpdated, _ := sinceTrue(list, phases.Updated)
	isRunning := slices.ContainsFunc(list, func(c metav1.Condition) bool {
		return c.Status != metav1.ConditionFalse && phases.StartsUpdate(phases.Phase(c.Type))
	})
	n.Reported = isUpdated || isRunning || conditions.Ran(list, phases.Updated)
	switch {
	case !n.Reported:
		n.State = Unreported
	case isUpdated && !n.hasDesired():
		n.State, n.NotStarted, n.Completed = Updating, true, completionOf(list)
		n.Steps = newSteps(list, func(phases.Phase) bool { return false })
		n.Step, n.Since = n.Steps[0].Phase, n.Requested
	case !isUpdated && (isRunning || !n.hasDesired() || isReplaced(list)):
		n.State = Updating
		n.Started = startOf(list)
		n.Steps = currentSteps(list)
		n.Since = measure(n.Steps, n.Started)
		n.Step = stepOf(n.Steps)
	default:
		n.State = Done
		n.isNew = neverUpdated(list)
		n.Completed = completionOf(list)
		n.Since = n.Completed
	}
}
