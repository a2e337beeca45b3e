package plan

import "github.com/openshift/upgrademonitor/phases"

// NodeChange copies the versions of the Node to the status, without a report. It is needed because
// a report, for example Updated=True, may be based on an outdated Node.
type NodeChange struct {
	Node Node
}

var _ Change = NodeChange{}

// String returns the name of the change in errors and logs.
func (NodeChange) String() string { return "config and image of the Node" }

// View returns the Node of the change, which has the new versions.
func (c NodeChange) View() Node { return c.Node }

// Absorb returns the newer change if it is a NodeChange.
func (c NodeChange) Absorb(newer Change) (Change, bool) {
	_, ok := newer.(NodeChange)
	return newer, ok
}

// Plan returns the write of the versions, by the rules of updateVersions. While Updated is True,
// Plan writes the same versions as a report of Updated=True. Plan does not change the conditions.
// If the status has no conditions, Plan returns no write.
func (c NodeChange) Plan(s State) (Writes, error) {
	var p Writes
	if len(s.Status.Conditions) == 0 {
		return p, nil
	}
	s = s.Pin()
	p.add(s, s.publish(s.Status.Conditions, c.Node, s.isTrue(phases.Updated)))
	return p, nil
}
