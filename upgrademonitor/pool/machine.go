package pool

import (
	"cmp"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeannotation"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeowner"
)

// target is what the nodes of a pool are to have.
type target struct {
	config string
	image  Image
}

// exists reports whether nodes can have the target.
func (t target) exists() bool { return t.config != "" && t.image.exists() }

// reachedBy reports whether a node has the target, and desires nothing else.
func (t target) reachedBy(r report) bool {
	return t.config != "" &&
		r.specDesired == t.config && r.desired == t.config && r.current == t.config &&
		t.image.isOn(r.desiredImage, r.currentImage)
}

// machine is what one node counts as.
type machine struct {
	name string

	reported  bool // its MachineConfigNode is about this Node, which has joined the pool
	updating  bool // an update is under way
	updated   bool // it has reached the target, and is not degraded
	degraded  bool
	available bool // the Node is Ready and schedulable, and not updating
	pinned    bool
	pinFailed bool

	step            step   // of the update under way
	desiredImage    string // "" if it is not reported
	degradedMessage string
	pinMessage      string
}

// newMachine judges a node by itself and by its MachineConfigNode, nil if there is none.
func newMachine(node *corev1.Node, mcn *mcfgv1.MachineConfigNode, target target) machine {
	m := machine{name: node.Name, available: isReady(node) && !node.Spec.Unschedulable}
	if mcn == nil || len(mcn.Status.Conditions) == 0 || nodeowner.OwnedByPrevious(mcn.OwnerReferences, node) {
		return m
	}
	r := reportOf(mcn)
	m.degraded, m.degradedMessage = r.degraded, r.degradedMessage
	m.pinned = r.pinned && !r.pinFailed
	m.pinFailed, m.pinMessage = r.pinFailed, r.pinMessage
	if !r.joined {
		return m
	}
	// The objects of daemons that do not report images have neither.
	r.currentImage = cmp.Or(r.currentImage, node.Annotations[nodeannotation.CurrentImage])
	r.desiredImage = cmp.Or(r.desiredImage, node.Annotations[nodeannotation.DesiredImage])
	m.reported = true
	m.updating, m.step = !r.updated, r.step
	m.updated = r.updated && !r.degraded && target.reachedBy(r)
	m.available = m.available && !m.updating
	m.desiredImage = r.desiredImage
	return m
}

func isReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
