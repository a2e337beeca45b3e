package progress

import (
	"cmp"
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// notYetSet are the desired configs of an object whose node has none yet, in v1 and in v1alpha1.
var notYetSet = []string{"", "not-yet-set", "NotYetSet"}

// FromMachineConfigNode reads one MachineConfigNode. For nil it returns a node without a name, in
// state Unreported.
//
//  1. The duration of a finished step is the time since the end of the step that finished before it,
//     or since the start of the update. Their sum is the time from the start to the last end.
//  2. Since does not depend on the time of the running step's condition, which daemons change with
//     each message.
//  3. A step that was reported as not required, or was passed by a later step, is Skipped. A step that
//     reported a failure, and that it is not running, has Failed.
//  4. Requested is the time of the newest entry of the spec in managedFields. It is not known if the
//     object was never changed, or its managedFields were removed.
//  5. An object contains its node's desired config, but not its pool's target. So no node is Waiting or
//     Idle: Pools finds them.
//  6. A node that is degraded is Stuck, in an update or not.
//  7. A node is in an update while Updated is not True and a step that is unique to an update runs or
//     has run, or while it does not have the config and image that it desires. A node whose Updated is
//     False alone, which some daemons report when they restart, is Done.
//  8. Message is the message of NodeDegraded without the name of the node, else of the running step.
//     After an hour the daemon reports a drain that fails as degraded, without its cause: then, too,
//     Message is the error in Drained.
//  9. Times that are out of order result in a duration of zero.
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

// readSteps sets the state by the object alone, the steps, and what follows from them.
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
