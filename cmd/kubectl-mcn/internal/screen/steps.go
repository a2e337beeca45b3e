package screen

import (
	"strings"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// step is what a node is doing in a phase, its letter in a chart, and its color in a drawing: for readers with any color
// vision and on any background.
type step struct {
	phase  phases.Phase
	doing  string
	letter byte
	color  string
}

// steps are all steps in their order. The last one is of a phase that is not known.
var steps = []step{
	{phases.UpdatePrepared, "Preparing", 'p', "#9ca3af"},
	{phases.Cordoned, "Cordoning", 'c', "#6b7280"},
	{phases.Drained, "Draining", 'D', "#e69f00"},
	{phases.AppliedFilesAndOS, "Files and OS", 'F', "#0072b2"},
	{phases.AppliedFiles, "Files", 'F', "#56b4e9"},
	{phases.AppliedOSImage, "OS image", 'O', "#0072b2"},
	{phases.ImagePulledFromRegistry, "Pulling image", 'I', "#cc79a7"},
	{phases.UpdatePostActionComplete, "Post action", 'P', "#f0e442"},
	{phases.RebootedNode, "Rebooting", 'R', "#009e73"},
	{phases.Resumed, "Resuming", 'r', "#94d3a2"},
	{phases.Uncordoned, "Uncordoning", 'u', "#5fb98a"},
	{phases.Updated, "Finishing", 'f', "#c4c4c4"},
	{"", "Steps not known", '=', "#b8c4d6"},
}

func stepOf(p phases.Phase) step {
	for _, s := range steps {
		if s.phase == p {
			return s
		}
	}
	return steps[len(steps)-1]
}

// stepName returns what a node is doing in a phase.
func stepName(p phases.Phase) string {
	if s := stepOf(p); s.phase == p {
		return s.doing
	}
	return clean(string(p))
}

// Doing returns the step that a node is in, or its state.
func Doing(n progress.Node) string {
	switch {
	case n.NotBegun:
		return "Not begun"
	case n.InUpdate():
		return stepName(n.Step)
	case n.State == progress.Updating: // the daemon has restarted
		return "-"
	}
	return string(n.State)
}

// marks draws the steps of a node, a character each.
func marks(n progress.Node) string {
	var b strings.Builder
	for _, s := range n.Steps {
		b.WriteByte(mark(s.State))
	}
	return b.String()
}

func mark(s progress.StepState) byte {
	switch s {
	case progress.Finished:
		return '#'
	case progress.Running:
		return '>'
	case progress.Skipped:
		return '-'
	}
	return '.'
}
