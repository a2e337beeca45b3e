package screen

import (
	"strings"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// phaseName returns what a node is doing in a phase.
func phaseName(p phases.Phase) string {
	doing := progress.Doing(p)
	return strings.ToUpper(doing[:1]) + doing[1:]
}

// stepName returns what a node in an update is doing.
func stepName(n progress.Node) string {
	if n.NotStarted {
		return "Not started"
	}
	return phaseName(n.Step)
}

// Doing returns the step that a node is in, or its state, and what its Node adds to that.
func Doing(n progress.Node) string {
	text := string(n.State)
	switch {
	case n.InUpdate():
		text = stepName(n)
	case n.Degraded:
		text = "Degraded"
	}
	if n.NotReady {
		text += ", NotReady"
	}
	if n.Cordoned && !n.InUpdate() {
		text += ", cordoned"
	}
	return text
}

// signs are the signs of the steps of a node.
var signs = map[progress.StepState]string{
	progress.ToDo: ".", progress.Running: ">", progress.Finished: "#", progress.Failed: "!", progress.Skipped: "-",
}

// marks draws the steps of a node, a character each.
func marks(n progress.Node) string {
	text := ""
	for _, s := range n.Steps {
		text += signs[s.State]
	}
	return text
}
