package cluster

// imageOf returns the image of a pool's target. A MachineConfigPool has no field for its image, so
// imageOf returns the desired image of the nodes whose desired config is config, the config of the
// pool. While these nodes desire different images, the node whose update was requested last has the
// new image.
func imageOf(config string, nodes []Node) string {
	var newest *Node
	for i := range nodes {
		if n := &nodes[i]; n.Desired.Config == config && (newest == nil || isNewer(n, newest)) {
			newest = n
		}
	}
	if newest == nil {
		return ""
	}
	return newest.Desired.Image
}

// isNewer reports whether the update of a was requested after the update of b. If the times of the
// requests are equal or unknown, a node that does not run its desired target is newer. If both
// nodes run their desired targets, or neither node does, the node with the latest time (Requested,
// Started or Completed) is newer.
func isNewer(a, b *Node) bool {
	if !a.Requested.IsZero() && !b.Requested.IsZero() && !a.Requested.Equal(b.Requested) {
		return a.Requested.After(b.Requested)
	}
	if a.hasDesired() != b.hasDesired() {
		return !a.hasDesired()
	}
	if aEnd, bEnd := later(later(a.Started, a.Completed), a.Requested), later(later(b.Started, b.Completed), b.Requested); !aEnd.Equal(bEnd) {
		return aEnd.After(bEnd)
	}
	return a.Desired.Image > b.Desired.Image
}
