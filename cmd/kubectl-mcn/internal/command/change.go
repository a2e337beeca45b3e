package command

import (
	"fmt"
	"slices"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// maxRenderError is how long the controller may fail to render a pool's MachineConfigs. It fails for a
// moment if somebody else changes the pool at the same time.
const maxRenderError = 5 * time.Second

// configChange is a MachineConfig that the targets of the pools must contain, or must no longer contain.
type configChange struct {
	config    string // the name of the MachineConfig; "" is none
	isRemoved bool

	began time.Time // the time of the first view
	last  time.Time // when the MachineConfig last changed, by the API server's clock
	seen  time.Time // when this change was first observed
}

// observe reads the last change of the MachineConfig. It returns an error if a pool does not select the
// MachineConfig, because then the pool never gets it.
func (c *configChange) observe(v source.View) error {
	if c.began.IsZero() {
		c.began = v.Time
	}
	mc := v.Configs[c.config]
	if mc.Name == "" && !c.last.IsZero() && !c.isRemoved {
		return &exitError{exitFailed, fmt.Errorf("failed: the MachineConfig %s was deleted", c.config)}
	}
	if !mc.Changed.Equal(c.last) {
		c.last, c.seen = mc.Changed, v.Time
	}
	for _, p := range v.Pools {
		if mc.Name != "" && !c.isRemoved && !p.Selects(mc) {
			return source.Usagef("the pool %s does not select the MachineConfig %s: compare its labels with the machineConfigSelector of the pool",
				p.Name, c.config)
		}
	}
	return nil
}

// awaited says what a pool's target still has or lacks, or returns "" if nothing.
func (c *configChange) awaited(v source.View, p cluster.Pool) string {
	mc, has := v.Configs[c.config], slices.Contains(p.Sources, c.config)
	switch {
	case c.config == "", c.isRemoved && !has:
		return ""
	case c.isRemoved:
		return "still with " + c.config
	case v.IsMissing(c.config):
		return fmt.Sprintf("there is no MachineConfig %s", c.config)
	case !has:
		return "without " + c.config
	case !p.HasChange(mc, v.Time.Sub(c.seen)):
		return "without the new " + c.config
	}
	return ""
}

// isOfChange reports whether a rendering error that began at since, and was first observed at seen, is
// later than the change.
func (c *configChange) isOfChange(since, seen time.Time) bool {
	return seen.After(c.began) || !c.last.IsZero() && !since.Before(c.last)
}
