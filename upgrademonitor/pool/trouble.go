package pool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/upgrademonitor/conditions"
)

// How much of the nodes' own messages a pool's message has: 5,000 broken nodes with 32 kB each
// would make an object that etcd refuses.
const (
	maxMessage     = 8 << 10 // bytes, but for the count at the end
	maxNodeMessage = 512     // characters
)

// troubleFinding says what is wrong with which nodes: as many as fit, in the order of their
// names, and how many more there are. It sorts the troubles.
func troubleFinding(troubles []trouble, reason, are string) finding {
	if len(troubles) == 0 {
		return finding{reason: asExpected, message: "No node is " + are}
	}
	slices.SortFunc(troubles, func(a, b trouble) int { return cmp.Compare(a.node, b.node) })
	var b strings.Builder
	if len(troubles) == 1 {
		fmt.Fprintf(&b, "1 node is %s: ", are)
	} else {
		fmt.Fprintf(&b, "%d nodes are %s: ", len(troubles), are)
	}
	for i, t := range troubles {
		text := t.node + ": " + conditions.CutTo(t.message, maxNodeMessage)
		if i > 0 {
			text = "; " + text
		}
		if b.Len()+len(text) > maxMessage {
			fmt.Fprintf(&b, "; and %d more", len(troubles)-i)
			break
		}
		b.WriteString(text)
	}
	return finding{holds: true, reason: reason, message: b.String()}
}
