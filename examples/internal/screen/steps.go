package screen

import (
	"strings"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// notBegun is the step of a node whose update was ordered and has not begun.
const notBegun = "Not begun"

// steps has for each phase what a node is doing in it, and its letter in a chart.
var steps = map[phases.Phase]struct {
	doing  string
	letter byte
}{
	phases.UpdatePrepared:           {"Preparing", 'p'},
	phases.UpdateExecuted:           {"Executing", 'e'},
	phases.Cordoned:                 {"Cordoning", 'c'},
	phases.Drained:                  {"Draining", 'D'},
	phases.AppliedFilesAndOS:        {"Files and OS", 'F'},
	phases.AppliedFiles:             {"Files", 'F'},
	phases.ImagePulledFromRegistry:  {"Pulling image", 'I'},
	phases.AppliedOSImage:           {"OS image", 'O'},
	phases.UpdatePostActionComplete: {"Post action", 'P'},
	phases.RebootedNode:             {"Rebooting", 'R'},
	phases.Resumed:                  {"Resuming", 'r'},
	phases.UpdateComplete:           {"Completing", 'U'},
	phases.Uncordoned:               {"Uncordoning", 'u'},
	phases.Updated:                  {"Finishing", 'f'},
}

// Doing returns what a node is doing in a phase.
func Doing(p phases.Phase) string {
	if s, ok := steps[p]; ok {
		return s.doing
	}
	return clean(string(p))
}

// doing returns the step that a node is in.
func doing(n progress.Node) string {
	switch {
	case n.State == progress.Ordered:
		return notBegun
	case n.Step == "":
		return "-"
	}
	return Doing(n.Step)
}

// marks draws the steps of a node, a character each.
func marks(n progress.Node) string {
	var b strings.Builder
	for _, s := range n.Steps {
		switch s.Mark {
		case progress.Finished:
			b.WriteByte('#')
		case progress.Running:
			b.WriteByte('>')
		case progress.Skipped:
			b.WriteByte('-')
		default:
			b.WriteByte('.')
		}
	}
	return b.String()
}

// inFlight reports whether a node takes one of the places that a pool has for updates.
func inFlight(n progress.Node) bool {
	return n.State == progress.Updating || n.State == progress.Ordered
}
