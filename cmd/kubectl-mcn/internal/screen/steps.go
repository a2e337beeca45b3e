package screen

import (
	"strings"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// step is what a node is doing in a phase, and its letter in a chart.
type step struct {
	phase  phases.Phase
	doing  string
	letter byte
}

// steps are all steps in their order. The last one is of a phase that is not known.
var steps = []step{
	{phases.UpdatePrepared, "Preparing", 'p'},
	{phases.Cordoned, "Cordoning", 'c'},
	{phases.Drained, "Draining", 'D'},
	{phases.AppliedFilesAndOS, "Files and OS", 'F'},
	{phases.AppliedFiles, "Files", 'F'},
	{phases.AppliedOSImage, "OS image", 'O'},
	{phases.ImagePulledFromRegistry, "Pulling image", 'I'},
	{phases.UpdatePostActionComplete, "Post action", 'P'},
	{phases.RebootedNode, "Rebooting", 'R'},
	{phases.Resumed, "Resuming", 'r'},
	{phases.Uncordoned, "Uncordoning", 'u'},
	{phases.Updated, "Finishing", 'f'},
	{"", "Steps not known", '='},
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
