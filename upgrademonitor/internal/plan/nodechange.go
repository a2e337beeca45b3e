package plan

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// NodeChange copies the Node's current and desired config and image to the status, without a
// report. It is needed because a report, for example Updated=True, may be based on an outdated Node.
type NodeChange struct {
	Node Node
	Time metav1.Time
}

var _ Change = NodeChange{}

// String returns the name of the change in errors and logs.
func (NodeChange) String() string { return "config and image of the Node" }

// View returns the Node of the change, which has the new versions.
func (c NodeChange) View() Node { return c.Node }

// At returns the change for another view of the Node.
func (c NodeChange) At(n Node) Change {
	c.Node = n
	return c
}

// Accepted returns the time of the change.
func (c NodeChange) Accepted() metav1.Time { return c.Time }

// Absorb returns the newer change if it is a NodeChange.
func (c NodeChange) Absorb(newer Change) (Change, bool) {
	other, ok := newer.(NodeChange)
	other.Time = c.Time
	return other, ok
}

// Replace is the same as Absorb.
func (c NodeChange) Replace(newer Change) (Change, bool) { return c.Absorb(newer) }

// Plan returns the write of the config and image, by the rules of updateVersions. While Updated is
// True, Plan writes the same as a report of Updated=True. Plan adds missing conditions, and changes
// no condition. Without an object, there is nothing to write.
func (c NodeChange) Plan(s State) (Writes, error) {
	var p Writes
	if s.Spec.Node.Name == "" { // there is no object
		return p, nil
	}
	s = s.Pin()
	list := s.Status.Conditions
	if len(list) == 0 {
		list = conditions.Complete(nil, s.images(c.Node), c.Time)
	}
	p.add(s, s.publish(list, c.Node, s.isTrue(phases.Updated)), c.Node)
	return p, nil
}
