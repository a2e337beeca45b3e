package progress

import (
	"cmp"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/phases"
)

// Of reads the state of a node from its Node and its MachineConfigNode. Either may be nil. Of does not
// modify them.
//
//  1. Node.Desired and Node.Current come from the annotations of the Node. If the Node has no config
//     annotation, or node is nil, they come from the MachineConfigNode.
//  2. A MachineConfigNode that an earlier Node of the same name owns is ignored: see ObjectOf.
//  3. A node is in an update if it does not run the config and image that it is told to run. A node
//     is also in an update if Updated is not True, and a step that runs only during an update has
//     started. Updated=False alone is not an update. If the annotations of the Node say that the
//     update is complete, the steps do not matter.
//  4. A node is degraded if NodeDegraded is True, or if its daemon has set the state annotation of
//     the Node to Degraded or Unreconcilable.
func Of(node *corev1.Node, mcn *mcfgv1.MachineConfigNode) Node {
	var n Node
	if mcn = ObjectOf(node, mcn); mcn == nil {
		mcn = &mcfgv1.MachineConfigNode{}
	}
	n.readObject(mcn)
	if node != nil {
		n.readNode(node)
	}
	n.readUpdate(node, mcn.Status.Conditions)
	n.readErrors(node, mcn.Status.Conditions)
	return n
}

// ObjectOf returns mcn, or nil if it belongs to an earlier Node of the same name. If node is nil or
// has no UID, as in some dumps, the owner is not checked.
func ObjectOf(node *corev1.Node, mcn *mcfgv1.MachineConfigNode) *mcfgv1.MachineConfigNode {
	if node != nil && mcn != nil && node.UID != "" && nodemeta.OwnedByPrevious(mcn.OwnerReferences, node) {
		return nil
	}
	return mcn
}

// readObject sets the fields that depend on the MachineConfigNode only.
func (n *Node) readObject(mcn *mcfgv1.MachineConfigNode) {
	status := &mcn.Status
	n.Name = mcn.Name
	n.Pool = mcn.Spec.Pool.Name
	desired := mcn.Spec.ConfigVersion.Desired
	n.Desired = Target{Image: string(mcn.Spec.ConfigImage.DesiredImage)}
	n.Current = Target{Image: string(status.ConfigImage.CurrentImage)}
	if version := status.ConfigVersion; version != nil {
		n.Current.Config = version.Current
		if !nodemeta.IsSet(desired) {
			desired = version.Desired
		}
	}
	if nodemeta.IsSet(desired) {
		n.Desired.Config = desired
	}
	n.HasObject = len(status.Conditions) > 0
	n.DegradedInObject = isTrue(status.Conditions, phases.NodeDegraded)
	n.Degraded = n.DegradedInObject
	isBehind := func(s mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
		return s.DesiredGeneration <= 0 || s.CurrentGeneration < s.DesiredGeneration
	}
	n.HasPinnedImages = n.HasObject && !isTrue(status.Conditions, phases.PinnedImageSetsDegraded) &&
		!slices.ContainsFunc(status.PinnedImageSets, isBehind)
}

// readNode sets the fields that depend on the Node only, and the targets. If the Node has no config
// annotation, the targets stay unchanged. Otherwise a missing image annotation means that there is no
// image.
func (n *Node) readNode(node *corev1.Node) {
	n.HasNode = true
	n.Name = node.Name
	n.Unavailable = unavailable(node)
	state := node.Annotations[nodemeta.State]
	n.Degraded = n.Degraded || state == nodemeta.StateDegraded || state == nodemeta.StateUnreconcilable
	desired, current := node.Annotations[nodemeta.DesiredConfig], node.Annotations[nodemeta.CurrentConfig]
	if desired != "" || current != "" {
		n.Desired = Target{Config: cmp.Or(desired, n.Desired.Config), Image: node.Annotations[nodemeta.DesiredImage]}
		n.Current = Target{Config: cmp.Or(current, n.Current.Config), Image: node.Annotations[nodemeta.CurrentImage]}
	}
}

// readUpdate sets Update, Done and DoneByNode.
func (n *Node) readUpdate(node *corev1.Node, list []metav1.Condition) {
	isUpdated := isTrue(list, phases.Updated)
	isRunning := isRunning(list)
	isShown := isRunning || isReported(list) // the object shows the start or the end of an update
	isTold, state, isComplete := n.readAnnotations(node)
	switch {
	case !isShown && !isTold:
	case isComplete: // the object may not show the end of the update
	case !isShown && state != nodemeta.StateDone, isUpdated && isTold && state == nodemeta.StateWorking:
		n.Update = Unreported
	case !isShown, isUpdated && !n.runsDesired():
		n.Update = Requested
	case !isUpdated && (isRunning || !n.runsDesired()):
		n.Update = Started
	}
	n.DoneByNode = !isTold && state == nodemeta.StateDone
	n.Done = n.DoneByNode || isShown && !n.InUpdate() && !n.Is(AnnotationsMissing)
}

// readAnnotations returns what the annotations of the Node say about an update: whether the node is
// told to update, the state of the daemon, and whether the last update is complete. The drain
// controller has then uncordoned the Node.
func (n *Node) readAnnotations(node *corev1.Node) (isTold bool, state string, isComplete bool) {
	if node == nil || node.Annotations[nodemeta.DesiredConfig] == "" || node.Annotations[nodemeta.CurrentConfig] == "" {
		return false, "", false
	}
	state = node.Annotations[nodemeta.State]
	if !n.runsDesired() {
		return true, state, false
	}
	drain := node.Annotations[nodemeta.DesiredDrain]
	isUncordoned := strings.HasPrefix(drain, nodemeta.Uncordon) && drain == node.Annotations[nodemeta.LastAppliedDrain]
	return false, state, state == nodemeta.StateDone && isUncordoned
}

// readErrors sets Errors. In some cases a daemon sets only the annotation, for example if the files on
// disk differ from the config.
func (n *Node) readErrors(node *corev1.Node, list []metav1.Condition) {
	if !n.Degraded {
		return
	}
	if n.DegradedInObject {
		n.Errors = append(n.Errors, conditions.TrimUpdatePrefix(conditions.Find(list, phases.NodeDegraded).Message))
	}
	if node != nil && !slices.Contains(n.Errors, node.Annotations[nodemeta.Reason]) {
		n.Errors = append(n.Errors, node.Annotations[nodemeta.Reason])
	}
	n.Errors = slices.DeleteFunc(n.Errors, func(text string) bool { return text == "" })
}
