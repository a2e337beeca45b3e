package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// judge decides, view by view, whether the waiting is over.
//
//  1. A pool is done when all its nodes have its target, nothing is wrong with it or with their pinned image
//     sets, its image is not being built, and --from does not contain that target.
//  2. It has failed when any of that has been wrong, or a node stuck, for longer than is tolerated. The time of
//     what recovers starts again.
//  3. A pool whose target is in --from cannot fail: its nodes are in an earlier update. But it must
//     get another target in time.
//  4. While the server is unreachable, nothing fails: the last state may be outdated.
//  5. If a named pool is deleted, or there are no pools at all, that is a usage error.
type judge struct {
	*waiting
	begin  time.Time
	before []target
	first  map[string]progress.Target // the targets of pools at the beginning, of those that were not being updated
	since  map[problem]time.Time      // since when each one was observed
	last   source.View
}

// target is a value of --from. Without an image, it is the one that a pool has at the beginning.
type target struct {
	config, image string
	hasImage      bool
}

func parseTarget(s string) target {
	config, image, hasImage := strings.Cut(s, ",")
	return target{config, image, hasImage}
}

// problem is a node that is stuck, a condition of a pool, or a pinned image set of a node.
type problem struct {
	pool, name, kind string
	uid              types.UID // an object may be created again
}

const (
	mostFailed  = 3
	mostMessage = 300
)

func newJudge(w *waiting, now time.Time) *judge {
	j := &judge{waiting: w, begin: now, since: map[problem]time.Time{}}
	for _, s := range w.before {
		j.before = append(j.before, parseTarget(s))
	}
	return j
}

// pools returns the view of the pools that are waited for.
func (j *judge) pools(v source.View) (source.View, error) {
	first := j.last.Time.IsZero()
	v.Pools = slices.DeleteFunc(slices.Clone(v.Pools), func(p progress.Pool) bool {
		return p.MaxUnavailable == 0 // nodes of a pool that does not exist
	})
	chosen, err := j.choice.choose(v)
	switch {
	case err != nil && !first:
		return v, source.Usagef("nothing is left to wait for: %w", err)
	case err != nil:
		return v, err
	case len(chosen.Pools) == 0 && !first:
		return v, source.Usagef("nothing is left to wait for: all pools are gone")
	case len(chosen.Pools) == 0:
		return v, source.Usagef("nothing to wait for: the cluster has no MachineConfigPools")
	}
	return chosen, nil
}

// judge decides on a view.
func (j *judge) judge(v source.View) (done bool, err error) {
	j.last = v
	if !v.LastContact.IsZero() {
		return false, nil
	}
	if j.first == nil {
		j.first = map[string]progress.Target{}
		for _, p := range v.Pools {
			if !isMixed(p) {
				j.first[p.Name] = p.Target
			}
		}
	}
	if failed := j.failed(v); len(failed) > 0 {
		if more := len(failed) - mostFailed; more > 0 {
			failed = append(failed[:mostFailed], fmt.Sprintf("and %d more", more))
		}
		return true, &exitError{exitFailed, errors.New(strings.Join(failed, "; "))}
	}
	var old []string
	for _, p := range v.Pools {
		if j.isOld(p) {
			old = append(old, p.Name)
		}
	}
	if len(old) > 0 && v.Time.Sub(j.begin) >= j.beginWithin {
		return true, &exitError{exitTimeout, fmt.Errorf("no update has begun within %s: the target of %s is still what --from names",
			j.beginWithin, strings.Join(old, ", "))}
	}
	if j.what == forBegun {
		return len(old) == 0 && (len(j.before) > 0 || slices.ContainsFunc(v.Pools, func(p progress.Pool) bool { return p.Done < p.Total() })), nil
	}
	return len(old) == 0 && !slices.ContainsFunc(v.Pools, func(p progress.Pool) bool { return !p.IsDone() }), nil
}

// isMixed reports whether nodes of a pool are being moved from one image to another.
func isMixed(p progress.Pool) bool {
	return slices.ContainsFunc(p.Nodes, func(n progress.Node) bool {
		return n.Desired.Config == p.Target.Config && (n.Desired.Image != p.Target.Image || n.Current.Image != p.Target.Image)
	})
}

// isOld reports whether a pool still has the target that it is to be updated from.
func (j *judge) isOld(p progress.Pool) bool {
	return slices.ContainsFunc(j.before, func(t target) bool {
		if t.config != p.Target.Config {
			return false
		}
		if t.hasImage {
			return t.image == p.Target.Image
		}
		first, ok := j.first[p.Name]
		return ok && first == p.Target
	})
}

// failed describes what has been wrong for longer than is tolerated.
func (j *judge) failed(v source.View) []string {
	var failed []string
	now := map[problem]time.Time{}
	judge := func(key problem, known time.Time, text string) {
		since, ok := j.since[key]
		if !ok {
			since = v.Time
		}
		now[key] = since
		if !known.IsZero() && known.Before(since) {
			since = known
		}
		if v.Time.Sub(since) >= j.tolerate {
			failed = append(failed, text)
		}
	}
	for _, p := range v.Pools {
		if j.isOld(p) {
			continue
		}
		for _, c := range p.Problems {
			judge(problem{pool: p.Name, kind: c.Type}, c.Since, fmt.Sprintf("pool %s: %s%s", p.Name, c.Type, withMessage(c.Message)))
		}
		for _, n := range p.StuckNodes() {
			reason := screen.Reason(n, screen.Options{Now: v.Time})
			judge(problem{p.Name, n.Name, "stuck", n.UID}, n.Degraded, fmt.Sprintf("%s of %s is stuck, %s%s", n.Name, p.Name, reason, withMessage(n.Message)))
		}
		for _, n := range p.Nodes {
			for _, s := range n.PinnedImageSets {
				if s.Failed {
					judge(problem{p.Name, n.Name, "pinned " + s.Name, n.UID}, s.Since, fmt.Sprintf("%s of %s cannot pull pinned image set %s%s", n.Name, p.Name, s.Name, withMessage(s.Message)))
				}
			}
		}
	}
	j.since = now
	return failed
}

func withMessage(message string) string {
	if message == "" {
		return ""
	}
	return ": " + screen.Clean(message, mostMessage)
}

// unfinished returns the error of a timeout, with what is in the way.
func (j *judge) unfinished() error {
	if j.last.Time.IsZero() {
		return fmt.Errorf("not %s within %s: the cluster has not been seen", j.what, j.timeout)
	}
	var left []string
	for _, p := range j.last.Pools {
		text := fmt.Sprintf("%s %d/%d", p.Name, p.Done, p.Total())
		switch {
		case j.isOld(p):
			text = p.Name + " has not begun"
		case p.IsDone():
			continue
		case len(p.Problems) > 0:
			text += ", " + p.Problems[0].Type + withMessage(p.Problems[0].Message)
		case p.Build != nil:
			text += ", its image is being built" + withMessage(p.Build.Message)
		case p.Paused:
			text += " (paused)"
		case p.Unreported > 0:
			text += fmt.Sprintf(" (%d not reported)", p.Unreported)
		}
		if stuck := p.StuckNodes(); len(stuck) > 0 {
			text += fmt.Sprintf(", %s is stuck, %s%s", stuck[0].Name, screen.Reason(stuck[0], screen.Options{Now: j.last.Time}), withMessage(stuck[0].Message))
		}
		left = append(left, text)
	}
	if !j.last.LastContact.IsZero() {
		left = append(left, "last answer "+j.last.LastContact.Format(time.TimeOnly))
	}
	return fmt.Errorf("not %s within %s: %s", j.what, j.timeout, strings.Join(left, "; "))
}

// summary returns a line on the pools that are done: how many nodes, how long, and the slowest.
func (j *judge) summary() string {
	var updated int
	var slowest progress.Node
	var longest time.Duration
	for _, p := range j.last.Pools {
		for _, n := range p.Nodes {
			if n.State != progress.Done || n.Ordered.IsZero() || n.Ended.Before(j.begin.Truncate(time.Second)) {
				continue
			}
			updated++
			if d := n.Ended.Sub(n.Ordered); d > longest {
				longest, slowest = d, n
			}
		}
	}
	text := fmt.Sprintf("%s: %d nodes updated in %s", j.what, updated, j.last.Time.Sub(j.begin).Round(time.Second))
	if longest > 0 {
		text += fmt.Sprintf(", the slowest was %s with %s", screen.Clean(slowest.Name, 0), longest.Round(time.Second))
	}
	return text + "\n"
}
