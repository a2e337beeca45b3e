package progress

import (
	"time"

	"github.com/openshift/upgrademonitor/phases"
)

const (
	defaultDrainLimit = time.Hour // as in machine-config-operator's alert
	defaultLimit      = 30 * time.Minute

	slowPart = 3 // a step is slow after a third of its limit
)

// Limits tells how long a step may take before its node is stuck.
type Limits struct {
	// StuckAfter is the limit of every step. If it is not positive, the limit is one hour for a
	// drain, and 30 minutes for any other step.
	StuckAfter time.Duration
}

func (l Limits) of(step phases.Phase) time.Duration {
	switch {
	case l.StuckAfter > 0:
		return l.StuckAfter
	case step == phases.Drained:
		return defaultDrainLimit
	}
	return defaultLimit
}
