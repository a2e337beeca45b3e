package progress

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// notYetSet are the values of the spec's desired config that mean "not known yet", in v1 and
// v1alpha1.
var notYetSet = []string{"", "not-yet-set", "NotYetSet"}

// FromMachineConfigNode reads one MachineConfigNode. If mcn is nil, the result has no name, and its
// state is Unreported.
//
//  1. The Duration of a finished step is the time since the previous step finished or, for the
//     first step, since the update started. The durations add up to the time from the start of the
//     update to the end of the last finished step.
//  2. Since does not depend on the lastTransitionTime of the running step, because some daemons
//     change that time with each message.
//  3. A step that did not run is Skipped if the daemon has reported that the step is not required,
//     or if a later step has started. A step is Failed if its message is an error, and the step is
//     not running.
//  4. Requested is the newest time of a managedFields entry that owns the spec. It is zero if the
//     spec never changed, or if managedFields were removed.
//  5. The result is never Waiting or Idle. These states depend on the target of the pool, which is
//     not in the MachineConfigNode. The function Pools sets these states.
//  6. A degraded node is Stuck, even if it is not in an update.
//  7. A node is in an update if it does not run its desired config and image. A node is also in an
//     update if Updated is not True, and a step that runs only during an update has started. Some
//     daemons report Updated=False when they restart, so a node with Updated=False and no such step
//     is Done.
//  8. If the node is degraded, Message is the message of NodeDegraded, without the name of the
//     node. Otherwise, Message is the message of the running step. If a drain fails for an hour,
//     the daemon reports NodeDegraded without the cause, so Message is the error in the message of
//     Drained.
//  9. If two times are out of order, the duration between them is zero.
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

// readSteps sets the steps, the state, and the other fields about the update. It does not set
// Waiting or Idle, because it does not know the target of the pool.
func (n *Node) readSteps(list []metav1.Condition) {
	isUpdated, _ := sinceTrue(list, phases.Updated)
	isRunning := slices.ContainsFunc(list, func(c metav1.Condition) bool {
		return c.Status != metav1.ConditionFalse && phases.StartsUpdate(phases.Phase(c.Type))
	})
	n.Reported = isUpdated || isRunning || wasReported(list, phases.Updated)
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

// requested returns the time of the last change of the spec. At generation 1 it returns zero,
// because a new object does not request an update.
func requested(mcn *mcfgv1.MachineConfigNode) time.Time {
	var newest time.Time
	if mcn.Generation <= 1 {
		return newest
	}
	for i := range mcn.ManagedFields {
		if entry := &mcn.ManagedFields[i]; ownsSpec(entry) {
			newest = later(newest, entry.Time.UTC())
		}
	}
	return newest
}

func ownsSpec(entry *metav1.ManagedFieldsEntry) bool {
	if entry.Subresource != "" || entry.Time == nil || entry.FieldsV1 == nil {
		return false
	}
	var fields struct {
		Spec json.RawMessage `json:"f:spec"`
	}
	return json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) == nil && fields.Spec != nil
}
