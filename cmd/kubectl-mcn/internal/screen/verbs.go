package screen

import (
	"cmp"

	"github.com/openshift/upgrademonitor/phases"
)

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
