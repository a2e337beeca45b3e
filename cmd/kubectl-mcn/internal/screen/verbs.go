package screen

import (
	"cmp"
	"slices"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
)

const before = "before "

// stepOf returns what a node does in its update. If the daemon has not begun the next step, it says so:
// for example, the daemon looks every ten seconds whether its node is drained.
func stepOf(n cluster.Node) string {
	isNext := func(s mco.Step) bool { return s.Phase == n.Step && s.State == mco.ToDo }
	switch {
	case n.NotStarted():
		return "not started"
	case slices.ContainsFunc(n.Steps, isNext) && slices.ContainsFunc(n.Steps, func(s mco.Step) bool { return s.State == mco.Finished }):
		return before + verb(n.Step)
	}
	return verb(n.Step)
}

// verb returns a verb for the work of a node in a phase, for example "draining" for Drained. For a
// phase without a verb, it returns "updating".
func verb(p phases.Phase) string {
	return cmp.Or(verbs[p], "updating")
}

var verbs = map[phases.Phase]string{
	phases.UpdatePrepared:           "preparing",
	phases.Cordoned:                 "cordoning",
	phases.Drained:                  "draining",
	phases.AppliedFilesAndOS:        "applying files and OS",
	phases.AppliedFiles:             "applying files",
	phases.AppliedOSImage:           "applying the OS image",
	phases.ImagePulledFromRegistry:  "pulling the image",
	phases.UpdatePostActionComplete: "running post-update actions",
	phases.RebootedNode:             "rebooting",
	phases.Resumed:                  "resuming",
	phases.Uncordoned:               "uncordoning",
	phases.Updated:                  "completing the update",
}
