package plan

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// NodeChange copies the configs and images of the Node to the status. A report copies them, too, but a
// report may be based on an outdated Node. Then a NodeChange follows.
type NodeChange struct {
	Node Node
	Time metav1.Time
}

var _ Change = NodeChange{}

// String returns the name of the change in errors and logs.
func (NodeChange) String() string { return "config and image of the Node" }

// View returns the Node with the new configs and images.
func (c NodeChange) View() Node { return c.Node }

// At returns a copy of the change with another Node.
func (c NodeChange) At(n Node) Change {
	c.Node = n
	return c
}

// Accepted returns the time of the change.
func (c NodeChange) Accepted() metav1.Time { return c.Time }

// Absorb returns the newer change, with the time of this change. It returns false if the newer change
// is not a NodeChange.
func (c NodeChange) Absorb(newer Change) (Change, bool) {
	other, ok := newer.(NodeChange)
	other.Time = c.Time
	return other, ok
}

// Replace is the same as Absorb.
func (c NodeChange) Replace(newer Change) (Change, bool) { return c.Absorb(newer) }

// Plan returns the write of the configs and images, by the rules of updateVersions. It adds the
// conditions if the object has none, but changes no condition.
func (c NodeChange) Plan(s State) (Writes, error) {
	var w Writes
	s = s.Pin()
	list := s.Status.Conditions
	if len(list) == 0 {
		list = conditions.Complete(nil, s.isImageMode(c.Node), c.Time)
	}
	next := s.withConditions(list, c.Node, s.isTrue(phases.Updated))
	w.add(s, next, c.Node)
	return w, nil
}
