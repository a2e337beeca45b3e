package pool

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
)

// target is what the nodes of a pool are to have.
type target struct {
	config string
	image  string // "": what each node's object asks for
}

// reached reports whether a node has what it is to have, and knows of nothing newer.
func (t target) reached(r report) bool {
	return t.config != "" &&
		r.specDesired == t.config && r.desired == t.config && r.current == t.config &&
		r.currentImage == cmp.Or(t.image, r.desiredImage)
}

// machine is what counts of one node.
type machine struct {
	name string

	reported  bool // its MachineConfigNode speaks for it
	updating  bool // it is in the middle of an update
	updated   bool // it has reached the target, and nothing is wrong with it
	degraded  bool
	available bool // the Node is Ready and schedulable, and it is not updating
	pinned    bool
	pinFailed bool

	trouble  string // what degraded it
	pinError string // why its images are not pinned
}

// newMachine judges a node by itself and by what its MachineConfigNode reports.
func newMachine(node *corev1.Node, r report, want target) machine {
	m := machine{name: node.Name, available: ready(node) && !node.Spec.Unschedulable}
	if !r.there || !r.of(node) {
		return m
	}
	m.reported = true
	m.updating = !r.updated
	m.degraded, m.trouble = r.degraded, r.trouble
	m.updated = r.updated && !r.degraded && want.reached(r)
	m.available = m.available && !m.updating
	m.pinned = r.pinned && !r.pinFailed
	m.pinFailed, m.pinError = r.pinFailed, r.pinError
	return m
}

func ready(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
