package mco

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// readBack sets Back if the machine is up again, although its reboot is not reported as complete: the Node has become Ready
// since the reboot began, or the daemon has reported something else since the Node became NotReady. If only the Node announces
// the reboot, it began at an unknown time after the start of the update: then Since is Back.
func (n *Node) readBack(node *corev1.Node, list []metav1.Condition) {
	reboot := find(list, phases.RebootedNode)
	isReported, began := reboot.Status == metav1.ConditionUnknown, n.Started
	if isReported {
		began = reboot.LastTransitionTime.UTC()
	}
	isKnown := isReported || n.Update == progress.Unreported && !began.IsZero()
	if n.Step != phases.RebootedNode || !isKnown {
		return
	}
	// The daemon also reports these phases when no step changes. It goes on for a moment after it has asked for the reboot.
	last := Latest(timeOf(list, phases.NodeDegraded), timeOf(list, phases.PinnedImageSetsDegraded),
		timeOf(list, phases.PinnedImageSetsProgressing))
	down := Latest(n.unavailableSince(progress.NotReady), began.Add(time.Minute))
	if isReported && last.After(down) && !rebootFailed.MatchString(messageOf(list, phases.NodeDegraded)) {
		n.Back = last
	}
	if node == nil || n.Is(progress.NotReady) {
		return
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.LastTransitionTime.After(began) {
			n.Back = c.LastTransitionTime.UTC()
		}
	}
	if !isReported {
		n.Since = cmp.Or(n.Back, n.Since)
	}
}
