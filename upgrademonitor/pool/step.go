package pool

import (
	"time"

	"github.com/openshift/upgrademonitor/phases"
)

// steps is the phases of an update, in order.
var steps = []struct {
	phase phases.Phase
	does  string // what a node is doing
}{
	{phases.UpdatePrepared, "preparing"},
	{phases.UpdateExecuted, "executing the update"},
	{phases.Cordoned, "cordoning"},
	{phases.Drained, "draining"},
	{phases.AppliedFilesAndOS, "applying files and OS"},
	{phases.AppliedFiles, "applying files"},
	{phases.ImagePulledFromRegistry, "pulling the image"},
	{phases.AppliedOSImage, "applying the OS image"},
	{phases.UpdatePostActionComplete, "running post-update actions"},
	{phases.RebootedNode, "rebooting"},
	{phases.Resumed, "resuming"},
	{phases.UpdateComplete, "completing the update"},
	{phases.Uncordoned, "uncordoning"},
}

// step is the phase that an update is in.
type step struct {
	phase phases.Phase // Updated: none runs
	since int64        // in seconds of Unix time, not known if it is not positive
}

// rankOf returns the place of a phase in the order of an update, 0 for Updated and others.
func rankOf(p phases.Phase) int {
	for i, row := range steps {
		if row.phase == p {
			return i + 1
		}
	}
	return 0
}

// String returns what a node is doing and since when: "draining since 14:02 UTC on 22 May".
func (s step) String() string {
	does := "updating"
	if rank := rankOf(s.phase); rank > 0 {
		does = steps[rank-1].does
	}
	if s.since <= 0 {
		return does
	}
	return does + " since " + time.Unix(s.since, 0).UTC().Format("15:04 UTC on 2 Jan")
}
