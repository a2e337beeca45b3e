package pool

import (
	"cmp"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeannotation"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
)

// report is all that a pool's status takes from a MachineConfigNode, except its owner. Objects
// with equal reports lead to equal statuses, so that a change of anything else is ignored.
type report struct {
	joined bool // Updated was reported, or an update has begun

	specDesired, desired, current string // configs
	desiredImage, currentImage    string

	updated         bool
	step            step // if it is not updated
	degraded        bool
	degradedMessage string
	pinned          bool // every pinned image set that it lists is on the node, and none has failed
	pinFailed       bool
	pinMessage      string
}

// reportOf reads a MachineConfigNode.
func reportOf(mcn *mcfgv1.MachineConfigNode) report {
	r := report{
		specDesired:  mcn.Spec.ConfigVersion.Desired,
		desiredImage: string(mcn.Spec.ConfigImage.DesiredImage),
		currentImage: string(mcn.Status.ConfigImage.CurrentImage),
		pinned:       true,
	}
	if version := mcn.Status.ConfigVersion; version != nil {
		r.desired, r.current = version.Desired, version.Current
	}
	for i := range mcn.Status.Conditions {
		r.read(&mcn.Status.Conditions[i])
	}
	if !r.joined || r.updated {
		r.step = step{}
	}
	for _, set := range mcn.Status.PinnedImageSets {
		done := set.DesiredGeneration > 0 && set.CurrentGeneration == set.DesiredGeneration
		r.pinned = r.pinned && done && set.LastFailedGeneration == 0
	}
	r.pinned = r.pinned && !r.pinFailed
	return r
}

// read reads one condition.
//
// A node has joined when its Updated was reported, or a phase runs that only an update has: a
// daemon that starts for the first time reports others. The step is the last phase that runs, in
// the order of an update: a child rather than its parent, and Updated if none does.
func (r *report) read(c *metav1.Condition) {
	isTrue := c.Status == metav1.ConditionTrue
	switch p := phases.Phase(c.Type); p {
	case phases.NodeDegraded:
		if isTrue {
			r.degraded, r.degradedMessage = true, c.Message
		}
	case phases.PinnedImageSetsDegraded:
		if isTrue {
			r.pinFailed, r.pinMessage = true, c.Message
		}
	case phases.Updated:
		r.updated = r.updated || isTrue
		r.joined = r.joined || c.Status != metav1.ConditionFalse || c.Reason != conditions.ReasonNotYetOccurred
		if r.step.phase == "" {
			r.step = step{p, c.LastTransitionTime.Unix()}
		}
	default:
		if c.Status == metav1.ConditionFalse {
			return
		}
		r.joined = r.joined || phases.StartsUpdate(p)
		if c.Status == metav1.ConditionUnknown && rankOf(p) > rankOf(r.step.phase) {
			r.step = step{p, c.LastTransitionTime.Unix()}
		}
	}
}

// machine is what one node counts as.
type machine struct {
	name   string
	report // empty if the node has none of its own

	reported  bool // its MachineConfigNode is about this Node, which has joined the pool
	updating  bool // an update is under way
	reached   bool // it has the target, and no update is under way
	available bool // the Node is Ready and schedulable, and not updating
}

// newMachine returns what a node counts as, with its MachineConfigNode, nil if there is none.
func newMachine(node *corev1.Node, mcn *mcfgv1.MachineConfigNode, target target) machine {
	m := machine{name: node.Name, available: isReady(node) && !node.Spec.Unschedulable}
	if mcn == nil || len(mcn.Status.Conditions) == 0 || nodeowner.OwnedByPrevious(mcn.OwnerReferences, node) {
		return m
	}
	m.report = reportOf(mcn)
	// The objects of daemons that do not report images have neither.
	m.currentImage = cmp.Or(m.currentImage, node.Annotations[nodeannotation.CurrentImage])
	m.desiredImage = cmp.Or(m.desiredImage, node.Annotations[nodeannotation.DesiredImage])
	m.reported = m.joined
	m.updating = m.joined && !m.updated
	m.reached = m.joined && m.updated && m.has(target)
	m.available = m.available && !m.updating
	return m
}

// has reports whether a node has the target, and desires nothing else.
func (r report) has(t target) bool {
	return t.config != "" && r.specDesired == t.config && r.desired == t.config && r.current == t.config &&
		t.hasImage(r.desiredImage, r.currentImage)
}

func isReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
