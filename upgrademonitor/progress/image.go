package progress

// imageOf returns the image of a pool's target, which no field of the pool has: the image that
// nodes with the desired config of the pool desire. While they desire different images, the image
// is being changed, and the node whose update was requested last has the new image.
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

// isNewer reports whether a got its desired target after b. It compares the times of the requests.
// If they do not differ or are not known, a node that does not have its target yet is newer; if
// that does not decide, the latest time of each node does.
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
