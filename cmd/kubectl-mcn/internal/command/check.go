package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

const renderDegraded = string(mcfgv1.MachineConfigPoolRenderDegraded)

// check decides for each view whether the command wait ends. A pool whose target is in --from, or is
// not of the awaited change, is not done. Its update has not started, so only a rendering error can be a
// failure. While the API server is unreachable, no pool is done and no pool fails, because the last view may
// be out of date.
type check struct {
	names    []string // the pools to wait for; empty for all pools
	before   []string // the values of --from
	change   configChange
	tolerate time.Duration

	origin string                         // the Origin of the source
	since  map[screen.ProblemID]time.Time // the time when each current problem was first observed
	last   source.View
}

// pools returns the view with only the pools to wait for. It drops pools that are known only from
// their nodes, unless the objects come from files, and no file has a MachineConfigPool.
func (c *check) pools(v source.View) (source.View, error) {
	isUnknown := func(p cluster.Pool) bool { return !p.Known }
	if c.origin == "" || slices.ContainsFunc(v.Pools, func(p cluster.Pool) bool { return p.Known }) {
		v.Pools = slices.DeleteFunc(v.Pools, isUnknown)
	}
	chosen, err := choose(v, c.names)
	if err == nil && len(chosen.Pools) == 0 {
		err = source.Usagef("there are no MachineConfigPools")
	}
	if err != nil {
		return v, source.Usagef("nothing to wait for: %w", err)
	}
	return chosen, nil
}

// decide reports whether wait ends with this view. The error says which pools have failed or, if
// the source has no more objects, which pools are not done.
func (c *check) decide(v source.View) (isOver bool, err error) {
	if !v.LastContact.IsZero() {
		return false, nil
	}
	if failed := c.failed(v); len(failed) > 0 {
		return true, &exitError{exitFailed, fmt.Errorf("failed: %s", strings.Join(failed, "; "))}
	}
	isOver = !slices.ContainsFunc(v.Pools, c.isAwaited)
	if v.Last && !isOver {
		return true, &exitError{exitFailed, c.unfinished("in " + c.origin)}
	}
	return isOver, nil
}

// isAwaited reports whether wait goes on because of a pool.
func (c *check) isAwaited(p cluster.Pool) bool { return c.hasOldTarget(p) || !p.IsDone() }

// hasOldTarget reports whether the target of a pool is not the awaited one, or is in --from. A value of --from
// without an image matches every image.
func (c *check) hasOldTarget(p cluster.Pool) bool {
	return c.change.awaited(c.last, p) != "" || slices.ContainsFunc(c.before, func(from string) bool {
		config, image, hasImage := strings.Cut(from, ",")
		return config == p.Target.Config && (!hasImage || image == p.Target.Image)
	})
}

// standing describes a pool in one line, and what its target still has or lacks.
func (c *check) standing(p cluster.Pool) string {
	line := screen.Standing(p)
	if awaited := c.change.awaited(c.last, p); awaited != "" {
		line += ", " + screen.Clean(awaited)
	} else if c.hasOldTarget(p) {
		line += ", still the target of --from"
	}
	return line
}

// failed describes the pools with a problem that has lasted as long as --tolerate. It remembers since when there are problems.
func (c *check) failed(v source.View) []string {
	var failed []string
	since := map[screen.ProblemID]time.Time{}
	for _, p := range v.Pools {
		hasFailed := false
		for _, wrong := range screen.Failures(p, wholeOptions(v)) {
			seen, ok := c.since[wrong.ProblemID]
			if !ok {
				seen = v.Time
			}
			since[wrong.ProblemID] = seen
			limit, isOfRender := c.tolerate, c.change.config != "" && wrong.Kind == renderDegraded
			isOld := isOfRender && !c.change.isOfChange(wrong.Since, seen) // the controller may not have seen the change
			if isOfRender && !isOld {
				limit = min(limit, maxRenderError)
			}
			if !isOld && !wrong.Since.IsZero() && wrong.Since.Before(seen) {
				seen = wrong.Since
			}
			hasFailed = hasFailed || v.Time.Sub(seen) >= limit && (isOfRender || !c.hasOldTarget(p))
		}
		if hasFailed {
			failed = append(failed, c.standing(p))
		}
	}
	c.since = since
	return failed
}

// unfinished returns the error of a wait that ends before all pools are done. The error describes
// the pools that are not done.
func (c *check) unfinished(when string) error {
	var left []string
	for _, p := range c.last.Pools {
		if c.isAwaited(p) {
			left = append(left, c.standing(p))
		}
	}
	switch {
	case c.last.Time.IsZero():
		return errors.New("not done " + when + ": the cluster could not be read")
	case !c.last.LastContact.IsZero():
		left = append(left, "last response "+c.last.LastContact.Format(time.TimeOnly))
	}
	return fmt.Errorf("not done %s: %s", when, strings.Join(left, "; "))
}
