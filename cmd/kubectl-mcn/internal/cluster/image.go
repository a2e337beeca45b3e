package cluster

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
)

// imageOf returns the image of a pool's target. A MachineConfigPool has no field for its image, so
// the messages of its conditions decide: see mco.ImageOf. If they do not name the image, imageOf
// returns the desired image of the nodes whose desired config is config, the config of the pool. If
// these nodes desire different images, the pool has the image that as many nodes run as the status of the
// pool counts as updated. If no image fits, the node whose update was requested last has the new image.
func imageOf(config string, nodes []Node, updated int, messages ...string) string {
	image, isNamed, isImageMode := mco.ImageOf(config, messages...)
	if isNamed {
		return image
	}
	var newest *Node
	done := map[string]int{} // the number of nodes that have an image
	for i := range nodes {
		n := &nodes[i]
		if n.Desired.Config != config || isImageMode && n.Desired.Image == "" {
			continue // in image mode, a node without an image does not have the target
		}
		if n.hasDesired() {
			done[n.Desired.Image]++
		}
		if newest == nil || isRequestedLater(n, newest) {
			newest = n
		}
	}
	if newest == nil {
		return ""
	}
	for _, other := range slices.Sorted(maps.Keys(done)) {
		if done[other] == updated && done[newest.Desired.Image] != updated {
			return other
		}
	}
	return newest.Desired.Image
}

// isRequestedLater reports whether the update of a was requested after the update of b. If that is not known, a node that waits
// for its desired target is the later one, and otherwise the node whose update is later.
func isRequestedLater(a, b *Node) bool {
	requested := 0
	if !a.Requested.IsZero() && !b.Requested.IsZero() {
		requested = a.Requested.Compare(b.Requested)
	}
	waits := map[bool]int{false: 1} // by hasDesired
	last := func(n *Node) time.Time { return mco.Latest(n.Started, n.Completed, n.Requested) }
	return cmp.Or(requested, waits[a.hasDesired()]-waits[b.hasDesired()], last(a).Compare(last(b)), cmp.Compare(a.Desired.Image, b.Desired.Image)) > 0
}
