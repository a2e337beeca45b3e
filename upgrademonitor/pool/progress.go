package pool

import (
	"fmt"
	"slices"
	"strings"
)

// The reasons of the conditions Updated and Updating, and of those that say that nothing is wrong.
const (
	asExpected         = "AsExpected"
	allNodesUpdated    = "AllNodesUpdated"
	nodesNotUpdated    = "NodesNotUpdated"
	nodesNotReported   = "NodesNotReported"
	nodesUpdating      = "NodesUpdating"
	noConfiguration    = "NoConfiguration"
	paused             = "Paused"
	pausedWhileRunning = "PausedWhileUpdating"
)

// maxNames is how many nodes a message names before it counts the others.
const maxNames = 5

// updatedFinding says whether all nodes have the target, and how many do.
func updatedFinding(c *count) finding {
	switch {
	case c.isUpdated():
		return finding{holds: true, reason: allNodesUpdated, message: c.progress()}
	case c.target.config == "":
		return finding{reason: noConfiguration, message: c.progress()}
	default:
		return finding{reason: nodesNotUpdated, message: c.progress()}
	}
}

// updatingFinding says which nodes are being updated, or why none is.
func updatingFinding(c *count) finding {
	running := "Being updated: " + first(c.updating)
	switch {
	case c.paused && len(c.updating) > 0:
		return finding{holds: true, reason: pausedWhileRunning, message: "The pool is paused, but updates that have begun go on. " + running}
	case len(c.updating) > 0:
		return finding{holds: true, reason: nodesUpdating, message: running}
	case c.isUpdating():
		return finding{holds: true, reason: nodesUpdating, message: "No node is being updated right now. " + c.progress()}
	case c.isUpdated():
		return finding{reason: allNodesUpdated, message: c.progress()}
	case c.paused:
		return finding{reason: paused, message: "The pool is paused. " + c.progress()}
	case c.target.config == "":
		return finding{reason: noConfiguration, message: c.progress()}
	default:
		return finding{reason: nodesNotReported, message: c.progress()}
	}
}

// progress says how many nodes have the target, and what the others do.
func (c *count) progress() string {
	switch {
	case c.target.config == "":
		return "The pool has no rendered MachineConfig yet"
	case c.machines == 0:
		return "The pool has no nodes"
	case c.isUpdated() && c.machines == 1:
		return fmt.Sprintf("The only node has %s", c.target)
	case c.isUpdated():
		return fmt.Sprintf("All %d nodes have %s", c.machines, c.target)
	}
	parts := []string{fmt.Sprintf("%d of %d nodes have %s", c.updated, c.machines, c.target)}
	for _, rest := range []struct {
		nodes int
		do    string
	}{
		{len(c.updating), "being updated"},
		{c.waiting, "not updated"},
		{c.silent, "not reported yet"},
	} {
		if rest.nodes > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", rest.nodes, rest.do))
		}
	}
	return strings.Join(parts, ", ")
}

// String names the target in a message.
func (t target) String() string {
	if t.image == "" {
		return "MachineConfig " + t.config
	}
	return "MachineConfig " + t.config + " and image " + t.image
}

// first names the first few nodes, and says how many more there are. It sorts the names.
func first(names []string) string {
	slices.Sort(names)
	if len(names) <= maxNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
}
