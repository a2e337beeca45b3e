package plan

import "github.com/openshift/upgrademonitor/phases"

// NodeChange is the change that the versions in the status are those of the Node. They change
// without a report, too: a view that is behind when Updated=True is reported shows what the Node
// had before.
type NodeChange struct {
	Node Node
}

var _ Change = NodeChange{}

// String names the change in errors and logs.
func (NodeChange) String() string { return "versions of the Node" }

// View is the view of the Node to follow.
func (c NodeChange) View() Node { return c.Node }

// Absorb returns the newer view of the Node.
func (c NodeChange) Absorb(newer Change) (Change, bool) {
	_, ok := newer.(NodeChange)
	return newer, ok
}

// Plan returns the write of the versions, by the rules of a report: while Updated is True, those of
// Updated=True, else those of any other report. It changes no condition, and adds none: a status
// without conditions stays as it is.
func (c NodeChange) Plan(s State) (Writes, error) {
	var p Writes
	if len(s.Status.Conditions) == 0 {
		return p, nil
	}
	s = s.Pin()
	p.add(s, s.publish(s.Status.Conditions, c.Node, s.isTrue(phases.Updated)))
	return p, nil
}
