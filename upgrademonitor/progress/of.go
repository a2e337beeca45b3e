package progress

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/machine"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

// notYetSet has the values of the spec's desired config that mean "not known yet", in the v1 and the
// v1alpha1 API.
var notYetSet = []string{"", "not-yet-set", "NotYetSet"}

// FromMachineConfigNode reads the state of a node from its MachineConfigNode only. It returns
// Of(nil, mcn).
func FromMachineConfigNode(mcn *mcfgv1.MachineConfigNode) Node { return Of(nil, mcn) }

// Of reads the state of a node from its Node and its MachineConfigNode. Either may be nil. Of does not
// modify them.
//
//  1. Node.Desired and Node.Current come from the annotations of the Node. If the Node has no config
//     annotation, or node is nil, they come from the MachineConfigNode.
//  2. A MachineConfigNode that an earlier Node of the same name owns is ignored. If node has no UID,
//     as in some dumps, the owner is not checked.
//  3. A node is in an update if it does not run the config and image that it is told to run. A node
//     is also in an update if Updated is not True, and a step that runs only during an update has
//     started. Updated=False alone is not an update. If the annotations of the Node say that the
//     update is complete, the steps do not matter.
//  4. A node is degraded if NodeDegraded is True, or if its daemon has set the state annotation of
//     the Node to Degraded or Unreconcilable.
func Of(node *corev1.Node, mcn *mcfgv1.MachineConfigNode) Node {
	if node != nil && mcn != nil && node.UID != "" && nodemeta.OwnedByPrevious(mcn.OwnerReferences, node) {
		mcn = nil
	}
	var n Node
	var list []metav1.Condition
	if mcn != nil {
		n.readObject(mcn)
		list = mcn.Status.Conditions
	}
	reason := ""
	if node != nil {
		n.readNode(node)
		reason = node.Annotations[nodemeta.Reason]
	}
	n.readSteps(list)
	n.readCause(list, reason)
	return n
}

// readObject sets the fields that depend on the MachineConfigNode only.
func (n *Node) readObject(mcn *mcfgv1.MachineConfigNode) {
	n.HasObject = len(mcn.Status.Conditions) > 0
	n.Name = cmp.Or(mcn.Name, mcn.Spec.Node.Name)
	n.UID = mcn.UID
	n.Pool = mcn.Spec.Pool.Name
	n.Desired = Target{Config: mcn.Spec.ConfigVersion.Desired, Image: string(mcn.Spec.ConfigImage.DesiredImage)}
	n.Current = Target{Image: string(mcn.Status.ConfigImage.CurrentImage)}
	if version := mcn.Status.ConfigVersion; version != nil {
		n.Current.Config = version.Current
		if slices.Contains(notYetSet, n.Desired.Config) {
			n.Desired.Config = version.Desired
		}
	}
	if mcn.Generation > 1 { // a new object does not request an update
		n.Requested = lastWrite(mcn.ManagedFields, managedFields.ownsSpec)
	}
	n.Degraded, n.DegradedSince = sinceTrue(mcn.Status.Conditions, phases.NodeDegraded)
	n.PinnedImageSets = pinnedImageSets(&mcn.Status)
}

// readNode sets the fields that depend on the Node, and replaces the configs and images that
// readObject has set.
func (n *Node) readNode(node *corev1.Node) {
	n.HasNode = true
	n.Name = node.Name
	n.Unavailable = unavailable(node)
	n.DesiredDrain = node.Annotations[nodemeta.DesiredDrain]
	n.LastAppliedDrain = node.Annotations[nodemeta.LastAppliedDrain]
	state := node.Annotations[nodemeta.State]
	n.Degraded = n.Degraded || state == stateDegraded || state == stateUnreconcilable
	n.readTargets(node, state)
}

// readTargets sets Desired and Current from the annotations of the Node. If the Node has no config
// annotation, both stay unchanged. Otherwise a missing image annotation means that there is no image.
func (n *Node) readTargets(node *corev1.Node, state string) {
	desired, current := node.Annotations[machine.DesiredConfig], node.Annotations[machine.CurrentConfig]
	if desired == "" && current == "" {
		return
	}
	before := n.Desired
	n.Desired = Target{Config: cmp.Or(desired, n.Desired.Config), Image: node.Annotations[machine.DesiredImage]}
	n.Current = Target{Config: cmp.Or(current, n.Current.Config), Image: node.Annotations[machine.CurrentImage]}
	switch {
	case desired == "" || current == "":
	case !n.runsDesired():
		n.isTold, n.isIdle, n.isWorking = true, state == stateDone, state == stateWorking
	default:
		isUncordoned := strings.HasPrefix(n.DesiredDrain, "uncordon-") && n.DesiredDrain == n.LastAppliedDrain
		n.isComplete = state == stateDone && isUncordoned
	}
	if before == n.Desired {
		return
	}
	// readObject has set the time of another target.
	n.Requested = lastWrite(node.ManagedFields, managedFields.ownsDesiredConfig)
}

// The values of the state annotation of a Node.
const (
	stateDone           = "Done"
	stateWorking        = "Working"
	stateDegraded       = "Degraded"
	stateUnreconcilable = "Unreconcilable"
)

// readSteps sets Reported, the steps, and the times of the update.
func (n *Node) readSteps(list []metav1.Condition) {
	isUpdated, _ := sinceTrue(list, phases.Updated)
	isRunning := slices.ContainsFunc(list, func(c metav1.Condition) bool {
		return c.Status != metav1.ConditionFalse && phases.StartsUpdate(phases.Phase(c.Type))
	})
	n.Reported = isRunning || wasReported(list, phases.Updated)
	if !n.Reported && !n.isTold {
		return
	}
	switch {
	case n.isComplete && !isUpdated: // the object does not show the end of the update
	case !n.Reported && !n.isIdle, isUpdated && n.isWorking: // the object does not show the update
		n.readNodeStep()
	case !n.Reported, isUpdated && !n.runsDesired():
		n.NotStarted = true
		if n.Reported {
			n.Completed = completionOf(list)
		}
		n.Steps = newSteps(list, func(phases.Phase) bool { return false })
		n.Step, n.Since = n.Steps[0].Phase, n.Requested
	case !isUpdated && (isRunning || !n.runsDesired() || isReplaced(list)):
		n.Started = startOf(list)
		n.Steps = currentSteps(list)
		n.Since = measure(n.Steps, n.Started)
		n.Step = stepOf(n.Steps)
	default:
		n.Completed = completionOf(list)
		n.Since = n.Completed
	}
}

// readNodeStep sets the step and the times of an update that only the Node shows (see the type
// Node). When the daemon requests a drain, the drain controller first cordons the Node.
func (n *Node) readNodeStep() {
	n.Started, n.Since = n.Requested, n.Requested
	verb, config, _ := strings.Cut(n.DesiredDrain, "-")
	isDone := n.DesiredDrain == n.LastAppliedDrain
	if isDone && config != n.Desired.Config { // the request of an earlier update
		return
	}
	cordoned, isCordoned := n.since(Cordoned)
	n.Started = later(n.Started, cordoned)
	switch {
	case verb == "drain" && !isDone && isCordoned:
		n.Step, n.Since = phases.Drained, n.Started
	case verb == "drain" && !isDone:
		n.Step = phases.Cordoned
	case verb == "uncordon" && !isDone:
		n.Step, n.Since = phases.Uncordoned, time.Time{}
	default:
		n.Since = n.Started
	}
}

// managedFields has the part of an entry of managedFields that this package needs.
type managedFields struct {
	Spec     json.RawMessage `json:"f:spec"`
	Metadata struct {
		Annotations map[string]json.RawMessage `json:"f:annotations"`
	} `json:"f:metadata"`
}

func (f managedFields) ownsSpec() bool { return f.Spec != nil }

func (f managedFields) ownsDesiredConfig() bool {
	return f.Metadata.Annotations["f:"+machine.DesiredConfig] != nil
}

// lastWrite returns the newest time of the entries for which matches returns true, or zero.
func lastWrite(entries []metav1.ManagedFieldsEntry, matches func(managedFields) bool) time.Time {
	var newest time.Time
	for i := range entries {
		entry := &entries[i]
		if entry.Subresource != "" || entry.Time == nil || entry.FieldsV1 == nil {
			continue
		}
		var fields managedFields
		if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) == nil && matches(fields) {
			newest = later(newest, entry.Time.UTC())
		}
	}
	return newest
}
