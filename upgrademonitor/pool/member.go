package pool

import (
	"cmp"
	"slices"
	"strings"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// member is the state of one node of a pool, according to its Node and its MachineConfigNode.
type member struct {
	name     string
	down     string          // why the node is unavailable, or ""; see whyDown
	reported bool            // the daemon has reported the start or the end of an update
	current  progress.Target // the config and image that the node runs
	updating bool            // an update was requested or is running
	degraded bool
	message  string // the cause, if the node is degraded
	pinned   bool   // the node has all its pinned image sets
}

// newMember returns the state of a node. mcn is nil if the MachineConfigNode is missing.
func newMember(node *corev1.Node, mcn *mcfgv1.MachineConfigNode) member {
	m := member{name: node.Name, down: whyDown(node, false)}
	if mcn == nil || len(mcn.Status.Conditions) == 0 || nodemeta.OwnedByPrevious(mcn.OwnerReferences, node) {
		return m
	}
	// Without the feature gate ImageModeStatusReporting, only the Node has the images.
	withImages := *mcn
	desired, current := &withImages.Spec.ConfigImage.DesiredImage, &withImages.Status.ConfigImage.CurrentImage
	*desired = cmp.Or(*desired, mcfgv1.ImageDigestFormat(node.Annotations[nodemeta.DesiredImage]))
	*current = cmp.Or(*current, mcfgv1.ImageDigestFormat(node.Annotations[nodemeta.CurrentImage]))
	n := progress.FromMachineConfigNode(&withImages)
	m.reported, m.current = n.Reported, n.Current
	m.updating = n.InUpdate() || n.Reported &&
		(isRequested(node, nodemeta.DesiredConfig, nodemeta.CurrentConfig, n.Desired.Config) ||
			isRequested(node, nodemeta.DesiredImage, nodemeta.CurrentImage, n.Desired.Image))
	if n.Degraded {
		reported := conditions.Find(mcn.Status.Conditions, phases.NodeDegraded)
		m.degraded, m.message, m.down = true, cmp.Or(conditions.TrimUpdatePrefix(reported.Message), n.Message), whyDown(node, true)
	}
	m.pinned = isPinned(&mcn.Status)
	return m
}

// isRequested reports whether the Node's desired annotation is set, and differs both from the
// Node's current annotation and from known. desired and current are the names of the annotations.
// known is the desired value in the spec of the MachineConfigNode.
func isRequested(node *corev1.Node, desired, current, known string) bool {
	value := node.Annotations[desired]
	return value != "" && value != node.Annotations[current] && value != known
}

// isPinned reports whether the node has all desired generations of its sets, and no set has failed.
func isPinned(status *mcfgv1.MachineConfigNodeStatus) bool {
	isMissing := func(s mcfgv1.MachineConfigNodeStatusPinnedImageSet) bool {
		return s.DesiredGeneration <= 0 || s.CurrentGeneration != s.DesiredGeneration
	}
	return !slices.ContainsFunc(status.PinnedImageSets, isMissing) &&
		conditions.StatusOf(status.Conditions, phases.PinnedImageSetsDegraded) != metav1.ConditionTrue
}

// whyDown returns why a node is unavailable, or "" if the node is available. It does not check
// whether the node is being updated.
func whyDown(node *corev1.Node, degraded bool) string {
	isReady := func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	}
	var why []string
	if !slices.ContainsFunc(node.Status.Conditions, isReady) {
		why = append(why, "NotReady")
	}
	if node.Spec.Unschedulable {
		why = append(why, "cordoned")
	}
	if degraded {
		why = append(why, "degraded")
	}
	return strings.Join(why, " and ")
}
