package progress

// imageOf returns the image of a pool's target, which no field of the pool contains. If nodes desire the
// config and different images, the image changes, and the node whose update was requested last has the
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

// isNewer reports whether a node got its target after another node. If the time of a request is not known, a
// node in an update is newer, else the later end of an update counts.
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
