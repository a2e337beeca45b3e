package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// check decides, view by view, whether the waiting is over.
//
//  1. A pool is done when all its nodes have its target, nothing is wrong with it or with their pinned image
//     sets, its image is not being built, and --from does not contain that target. A pool without
//     MachineConfigNodes is done when its condition Updated is True.
//  2. It has failed when any of that has been wrong, a node stuck, or the pool blocked or paused, for longer than
//     is tolerated. The time of a problem that recovers starts again.
//  3. A pool whose target is in --from is not done and cannot fail: its nodes are in an earlier update.
//  4. While the server is unreachable, nothing fails: the last state may be outdated.
//  5. If the source ends, a pool that is not done has failed.
//  6. If a named pool is deleted, or there are no pools at all, that is a usage error.
type check struct {
	names    []string // of pools; none: all
	before   []string // --from
	tolerate time.Duration

	origin string                         // of the objects, "" for a cluster
	since  map[screen.ProblemID]time.Time // since when each problem was observed
	last   source.View
}

// pools returns the view of the pools that are waited for.
func (c *check) pools(v source.View) (source.View, error) {
	isUnknown := func(p progress.Pool) bool { return !p.Known }
	if c.origin == "" || slices.ContainsFunc(v.Pools, func(p progress.Pool) bool { return p.Known }) {
		v.Pools = slices.DeleteFunc(slices.Clone(v.Pools), isUnknown)
	}
	chosen, err := choose(v, c.names)
	if err == nil && len(chosen.Pools) == 0 {
		err = source.Usagef("the cluster has no MachineConfigPools")
	}
	if err != nil {
		return v, source.Usagef("nothing to wait for: %w", err)
	}
	return chosen, nil
}

// view reports whether the wait is over.
func (c *check) view(v source.View) (done bool, err error) {
	c.last = v
	if !v.LastContact.IsZero() {
		return false, nil
	}
	if failed := c.failed(v); len(failed) > 0 {
		return true, &exitError{exitFailed, fmt.Errorf("failed: %s", strings.Join(failed, "; "))}
	}
	done = !slices.ContainsFunc(v.Pools, func(p progress.Pool) bool { return c.isOld(p) || !p.IsDone() })
	if v.Last && !done {
		return true, &exitError{exitFailed, c.unfinished("in " + c.origin)}
	}
	return done, nil
}

// isOld reports whether a pool still has a target of --from. A part that is not given there may be anything.
func (c *check) isOld(p progress.Pool) bool {
	return slices.ContainsFunc(c.before, func(from string) bool {
		config, image, hasImage := strings.Cut(from, ",")
		return config == p.Target.Config && (!hasImage || image == p.Target.Image)
	})
}

// failed describes the pools with a problem that has lasted for longer than is tolerated.
func (c *check) failed(v source.View) []string {
	var failed []string
	since := map[screen.ProblemID]time.Time{}
	for _, p := range v.Pools {
		hasFailed := false
		for _, wrong := range screen.Failures(p, v.Time) {
			seen, ok := c.since[wrong.ProblemID]
			if !ok {
				seen = v.Time
			}
			since[wrong.ProblemID] = seen
			if !wrong.Since.IsZero() && wrong.Since.Before(seen) {
				seen = wrong.Since
			}
			hasFailed = hasFailed || v.Time.Sub(seen) >= c.tolerate
		}
		if hasFailed && !c.isOld(p) {
			failed = append(failed, screen.Standing(p))
		}
	}
	c.since = since
	return failed
}

// unfinished returns the error of a source or a time that has ended, with how far each pool is.
func (c *check) unfinished(when string) error {
	var left []string
	for _, p := range c.last.Pools {
		switch {
		case c.isOld(p):
			left = append(left, p.Name+" has not started")
		case !p.IsDone():
			left = append(left, screen.Standing(p))
		}
	}
	switch {
	case c.last.Time.IsZero():
		return errors.New("not done " + when + ": the cluster has not been seen")
	case !c.last.LastContact.IsZero():
		left = append(left, "last response "+c.last.LastContact.Format(time.TimeOnly))
	}
	return fmt.Errorf("not done %s: %s", when, strings.Join(left, "; "))
}
