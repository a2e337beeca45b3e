package progress

import (
	"cmp"
	"slices"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// notYetSet is the desired config of an object whose node has none yet.
const notYetSet = "not-yet-set"

// Of reads one MachineConfigNode. For nil it returns a node without a name, in state Unreported.
//
//  1. The duration of a finished step is the time since the end of the step that finished before it,
//     or since the begin of the update. Their sum is the time from the begin to the last end.
//  2. Since does not depend on the time of the running step's condition, which daemons change with
//     each message.
//  3. A step that was reported as not required, or was passed by a later one, is Skipped.
//  4. The time of the order is that of the newest entry of the spec in managedFields. It is not
//     known if the object was never changed, or its managedFields were removed.
//  5. An object contains its node's desired config, but not its pool's target, so that no node is
//     Waiting: Pools finds these.
//  6. A node that has its desired config and image is Done, unless it is degraded: then it is
//     Updating, without a step.
//  7. A node that has its desired config and image, and whose Updated is False though no step of an
//     update ran, has no step either: some daemons report this when they restart.
//  8. Times that are out of order result in a duration of zero.
func Of(mcn *mcfgv1.MachineConfigNode) Node {
	if mcn == nil {
		return Node{State: Unreported, Steps: pendingSteps(nil)}
	}
	list := mcn.Status.Conditions
	n := Node{
		Name:       cmp.Or(mcn.Name, mcn.Spec.Node.Name),
		UID:        mcn.UID,
		Pool:       mcn.Spec.Pool.Name,
		Desired:    mcn.Spec.ConfigVersion.Desired,
		Ordered:    ordered(mcn),
		isDegraded: conditions.StatusOf(list, phases.NodeDegraded) == metav1.ConditionTrue,
		image:      string(mcn.Spec.ConfigImage.DesiredImage),
	}
	if version := mcn.Status.ConfigVersion; version != nil {
		n.Current = version.Current
		if n.Desired == "" || n.Desired == notYetSet {
			n.Desired = version.Desired
		}
	}
	n.hasDesired = n.Desired == n.Current && n.image == string(mcn.Status.ConfigImage.CurrentImage)
	n.State = stateOf(n, list)
	n.readSteps(list)
	if n.isDegraded {
		n.Degraded = timeOf(list, phases.NodeDegraded)
		n.Why = cmp.Or(messageOf(list, phases.NodeDegraded), n.Why)
	}
	return n
}

// stateOf returns the state of a node by its own object alone.
func stateOf(n Node, list []metav1.Condition) State {
	isUpdated := conditions.StatusOf(list, phases.Updated) == metav1.ConditionTrue
	switch {
	case isUpdated && !n.hasDesired:
		return Ordered
	case isUpdated && !n.isDegraded:
		return Done
	case isUpdated, n.isDegraded, conditions.Ran(list, phases.Updated), updateRuns(list):
		return Updating
	}
	return Unreported
}

// readSteps sets the steps and what follows from them.
func (n *Node) readSteps(list []metav1.Condition) {
	if conditions.StatusOf(list, phases.Updated) == metav1.ConditionTrue {
		n.Ended = endOf(list)
		n.joined = neverUpdated(list)
	}
	switch {
	case n.State == Unreported:
		n.Steps = pendingSteps(list)
	case n.State == Ordered:
		n.Steps = pendingSteps(list)
		n.Step, n.Since = n.Steps[0].Phase, n.Ordered
	case conditions.StatusOf(list, phases.Updated) == metav1.ConditionTrue:
		n.Steps, n.Since = endedSteps(list, n.Ended), n.Ended
	default:
		n.Begun = begunOf(list)
		n.Steps = currentSteps(list)
		n.Since = measure(n.Steps, n.Begun)
		if n.inUpdate() {
			n.Step = stepOf(n.Steps)
		}
		n.Why = n.messageOfStep(list)
	}
}

// inUpdate reports whether there is an update: the node does not have its desired config and image,
// or a phase that only an update has is running or done.
func (n Node) inUpdate() bool {
	return !n.hasDesired || slices.ContainsFunc(n.Steps, func(s Step) bool {
		return phases.StartsUpdate(s.Phase) && (s.Mark == Running || s.Mark == Finished)
	})
}

// updateRuns reports whether a phase that only an update has is running or done.
func updateRuns(list []metav1.Condition) bool {
	return slices.ContainsFunc(list, func(c metav1.Condition) bool {
		return c.Status != metav1.ConditionFalse && phases.StartsUpdate(phases.Phase(c.Type))
	})
}

func timeOf(list []metav1.Condition, p phases.Phase) time.Time {
	if c := conditions.Find(list, p); c != nil {
		return c.LastTransitionTime.UTC()
	}
	return time.Time{}
}

// took returns the duration of a finished update, from the order to the end; zero if it is not
// known.
func (n Node) took() time.Duration {
	if n.State != Done || n.joined || n.Ordered.IsZero() || n.Ended.IsZero() {
		return 0
	}
	return since(n.Ordered, n.Ended)
}
