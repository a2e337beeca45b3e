package plan

import "github.com/openshift/upgrademonitor/phases"

// NodeChange brings the versions in the status in sync with the Node, without a report. The view of
// a report may have been out of date, for example with Updated=True.
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

// Plan returns the write of the versions, by the rules of a report: while Updated is True, by those
// of Updated=True. It neither changes nor adds a condition: a status without conditions stays.
func (c NodeChange) Plan(s State) (Writes, error) {
	var p Writes
	if len(s.Status.Conditions) == 0 {
		return p, nil
	}
	s = s.Pin()
	p.add(s, s.publish(s.Status.Conditions, c.Node, s.isTrue(phases.Updated)))
	return p, nil
}
