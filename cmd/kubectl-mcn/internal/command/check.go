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

const (
	forDone  = "done"
	forBegun = "begun"
)

// goal is what is waited for, and for how long.
type goal struct {
	names       []string // of pools; none: all
	what        string   // forDone or forBegun
	timeout     time.Duration
	before      []string // --from
	beginWithin time.Duration
	tolerate    time.Duration
}

// mostFailed is how many problems an error names.
const mostFailed = 3

// check decides, view by view, whether the waiting is over.
//
//  1. A pool is done when all its nodes have its target, nothing is wrong with it or with their pinned image
//     sets, its image is not being built, and --from does not contain that target.
//  2. It has failed when any of that has been wrong, a node stuck, or the pool blocked or paused, for longer than
//     is tolerated. The time of what recovers starts again.
//  3. A pool whose target is in --from cannot fail: its nodes are in an earlier update. But it must
//     get another target in time.
//  4. While the server is unreachable, nothing fails: the last state may be outdated.
//  5. Where the source ends, what is not done has failed.
//  6. If a named pool is deleted, or there are no pools at all, that is a usage error.
type check struct {
	goal
	begin time.Time
	since map[screen.ProblemID]time.Time // since when each one was observed
	last  source.View
}

// pools returns the view of the pools that are waited for.
func (c *check) pools(v source.View) (source.View, error) {
	v.Pools = slices.DeleteFunc(slices.Clone(v.Pools), func(p progress.Pool) bool {
		return p.MaxUnavailable == 0 // nodes of a pool that does not exist
	})
	chosen, err := choose(v, c.names)
	if err == nil && len(chosen.Pools) == 0 {
		err = source.Usagef("the cluster has no MachineConfigPools")
	}
	if err != nil {
		return v, source.Usagef("nothing to wait for: %w", err)
	}
	return chosen, nil
}

// view decides on a view.
func (c *check) view(v source.View) (done bool, err error) {
	c.last = v
	if !v.LastContact.IsZero() {
		return false, nil
	}
	if c.begin.IsZero() {
		c.begin = v.Time
	}
	if failed := c.failed(v); len(failed) > 0 {
		if more := len(failed) - mostFailed; more > 0 {
			failed = append(failed[:mostFailed], fmt.Sprintf("and %d more", more))
		}
		return true, &exitError{exitFailed, errors.New(strings.Join(failed, "; "))}
	}
	var old []string
	begun, complete := len(c.before) > 0, true
	for _, p := range v.Pools {
		if c.isOld(p) {
			old = append(old, p.Name)
		}
		begun = begun || p.Done < p.Total()
		complete = complete && p.IsDone()
	}
	if c.what == forBegun {
		complete = begun
	}
	switch done = len(old) == 0 && complete; {
	case v.Last && !done:
		return true, &exitError{exitFailed, c.unfinished("at the end of what was read")}
	case len(old) > 0 && v.Time.Sub(c.begin) >= c.beginWithin:
		return true, &exitError{exitTimeout, fmt.Errorf("no update has begun within %s: the target of %s is still what --from names",
			c.beginWithin, strings.Join(old, ", "))}
	}
	return done, nil
}

// isOld reports whether a pool still has a target of --from. What is not given there may be anything.
func (c *check) isOld(p progress.Pool) bool {
	return slices.ContainsFunc(c.before, func(from string) bool {
		config, image, hasImage := strings.Cut(from, ",")
		return config == p.Target.Config && (!hasImage || image == p.Target.Image)
	})
}

// failed describes what has been wrong for longer than is tolerated.
func (c *check) failed(v source.View) []string {
	var failed []string
	since := map[screen.ProblemID]time.Time{}
	for _, p := range v.Pools {
		if c.isOld(p) {
			continue
		}
		for _, wrong := range screen.InTheWay(p, v.Time) {
			seen, ok := c.since[wrong.ProblemID]
			if !ok {
				seen = v.Time
			}
			since[wrong.ProblemID] = seen
			if !wrong.Since.IsZero() && wrong.Since.Before(seen) {
				seen = wrong.Since
			}
			if v.Time.Sub(seen) >= c.tolerate {
				failed = append(failed, wrong.String())
			}
		}
	}
	c.since = since
	return failed
}

// unfinished returns the error of a source or a time that has ended, with what is in the way.
func (c *check) unfinished(when string) error {
	var left []string
	for _, p := range c.last.Pools {
		text, wrong := fmt.Sprintf("%s %d/%d", p.Name, p.Done, p.Total()), screen.InTheWay(p, c.last.Time)
		switch {
		case c.isOld(p):
			text = p.Name + " has not begun"
		case p.IsDone() && c.what == forDone:
			continue
		case len(wrong) > 0:
			text += ", " + wrong[0].String()
		case p.Build != nil:
			text += ", its image is being built: " + screen.Clean(p.Build.Message, screen.MostMessage)
		case p.Unreported > 0:
			text += fmt.Sprintf(" (%d not reported)", p.Unreported)
		}
		left = append(left, text)
	}
	switch {
	case c.last.Time.IsZero():
		left = append(left, "the cluster has not been seen")
	case !c.last.LastContact.IsZero():
		left = append(left, "last answer "+c.last.LastContact.Format(time.TimeOnly))
	}
	return fmt.Errorf("not %s %s: %s", c.what, when, strings.Join(left, "; "))
}

// summary returns a line on the nodes that were updated meanwhile: how many, and how long it took.
func (c *check) summary() string {
	updated := 0
	for _, p := range c.last.Pools {
		for _, n := range p.Nodes {
			if n.State == progress.Done && !n.Ordered.IsZero() && !n.Ended.Before(c.begin.Truncate(time.Second)) {
				updated++
			}
		}
	}
	if updated == 0 {
		return c.what + "\n"
	}
	return fmt.Sprintf("%s: %d nodes updated in %s\n", c.what, updated, max(0, c.last.Time.Sub(c.begin)).Round(time.Second))
}
