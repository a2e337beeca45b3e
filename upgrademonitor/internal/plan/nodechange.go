package plan

import "github.com/openshift/upgrademonitor/phases"

// NodeChange updates the versions in the status to the versions of the Node, without a report. It
// is needed because a report, for example of Updated=True, may be based on an outdated Node.
type NodeChange struct {
	Node Node
}

var _ Change = NodeChange{}

// String names the change in errors and logs.
func (NodeChange) String() string { return "versions of the Node" }

// View returns the Node that has the versions.
func (c NodeChange) View() Node { return c.Node }

// Absorb returns the newer change.
func (c NodeChange) Absorb(newer Change) (Change, bool) {
	_, ok := newer.(NodeChange)
	return newer, ok
}

// Plan returns the write of the versions, by the same rules as a report. While Updated is True, it
// updates the versions as a report of Updated=True does: see updateVersions. Plan neither changes
// nor adds a condition. A status without conditions is not written.
func (c NodeChange) Plan(s State) (Writes, error) {
	var p Writes
	if len(s.Status.Conditions) == 0 {
		return p, nil
	}
	s = s.Pin()
	p.add(s, s.publish(s.Status.Conditions, c.Node, s.isTrue(phases.Updated)))
	return p, nil
}
