package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/examples/internal/screen"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// judge decides, view by view, whether the waiting is over.
//
//  1. A pool is done when all its nodes have its target, unless --from contains that target. Nodes
//     without a MachineConfigNode are not done.
//  2. It has failed when a node has been degraded for longer than is tolerated, or stuck in all
//     views of that time. The time of a node that recovers starts again.
//  3. A pool whose target is in --from cannot fail: its nodes are in an earlier update. But it must
//     get another target in time.
//  4. While the server is unreachable, no node is stuck: the last state may be outdated.
//  5. If a named pool is deleted, or there are no pools at all, that is a usage error.
type judge struct {
	waiting waiting
	begin   time.Time
	stuck   map[object]time.Time // since when each one was observed to be stuck
	last    view
}

// object is the MachineConfigNode of a node, which may be created again.
type object struct {
	name string
	uid  types.UID
}

// Limits of the message about failed nodes.
const (
	mostFailed  = 3
	mostMessage = 300
)

// verdict is the decision of a judge on a view.
type verdict struct {
	done bool
	code int // the exit code, if there is an error
	err  error
}

func newJudge(w waiting, now time.Time) *judge {
	return &judge{waiting: w, begin: now, stuck: map[object]time.Time{}}
}

// pools returns the view of the pools that are waited for.
func (j *judge) pools(v view) (view, error) {
	first := j.last.time.IsZero()
	v.pools = slices.DeleteFunc(slices.Clone(v.pools), func(p progress.Pool) bool {
		return p.MaxUnavailable == 0 // nodes of a pool that does not exist
	})
	chosen, err := j.waiting.choose(v)
	switch {
	case err != nil && !first:
		return v, usage("nothing is left to wait for: %w", err)
	case err != nil:
		return v, err
	case len(chosen.pools) == 0 && !first:
		return v, usage("nothing is left to wait for: all pools are gone")
	case len(chosen.pools) == 0:
		return v, usage("nothing to wait for: the cluster has no MachineConfigPools")
	}
	return chosen, nil
}

// judge decides on a view.
func (j *judge) judge(v view) verdict {
	j.last = v
	if !v.lastContact.IsZero() {
		return verdict{}
	}
	if failed := j.failed(v); len(failed) > 0 {
		if more := len(failed) - mostFailed; more > 0 {
			failed = append(failed[:mostFailed], fmt.Sprintf("and %d more", more))
		}
		return verdict{code: program.ExitFailure, err: fmt.Errorf("%s", strings.Join(failed, "; "))}
	}
	old := j.old(v)
	if len(old) > 0 && v.time.Sub(j.begin) >= j.waiting.beginWithin {
		return verdict{code: exitTimeout, err: fmt.Errorf("no update has begun within %s: the target of %s is still what --from names",
			j.waiting.beginWithin, strings.Join(old, ", "))}
	}
	done := len(old) == 0 && !slices.ContainsFunc(v.pools, func(p progress.Pool) bool { return p.Done < screen.Total(p) })
	return verdict{done: done}
}

// isOld reports whether a pool still has the target that it is to be updated from.
func (j *judge) isOld(p progress.Pool) bool { return slices.Contains(j.waiting.from, p.Target) }

// old returns the names of the pools whose update has not begun.
func (j *judge) old(v view) []string {
	var names []string
	for _, p := range v.pools {
		if j.isOld(p) {
			names = append(names, p.Name)
		}
	}
	return names
}

// failed describes the nodes that have been stuck for longer than is tolerated.
func (j *judge) failed(v view) []string {
	var failed []string
	now := map[object]time.Time{}
	for _, p := range v.pools {
		if j.isOld(p) {
			continue
		}
		for _, s := range p.Stuck {
			node := object{s.Node.Name, s.Node.UID}
			since, ok := j.stuck[node]
			if !ok {
				since = v.time
			}
			now[node] = since
			if v.time.Sub(earlier(since, s.Node.Degraded)) >= j.waiting.tolerate {
				failed = append(failed, describeStuck(p, s))
			}
		}
	}
	j.stuck = now
	return failed
}

// earlier returns the earlier of two times, of which the second one may be zero.
func earlier(a, b time.Time) time.Time {
	if !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func describeStuck(p progress.Pool, s progress.Stuck) string {
	text := fmt.Sprintf("%s of %s is stuck, %s", s.Node.Name, p.Name, screen.Reason(s))
	if s.Node.Why != "" {
		text += ": " + screen.Clean(s.Node.Why, mostMessage)
	}
	return text
}

// unfinished returns the error of a timeout, with the state of the pools.
func (j *judge) unfinished(timeout time.Duration) error {
	if j.last.time.IsZero() {
		return fmt.Errorf("not done within %s: the cluster has not been seen", timeout)
	}
	var left []string
	for _, p := range j.last.pools {
		switch {
		case j.isOld(p):
			left = append(left, p.Name+" has not begun")
		case p.Done < screen.Total(p):
			text := fmt.Sprintf("%s %d/%d", p.Name, p.Done, screen.Total(p))
			switch silent := p.Unreported + p.Missing; {
			case p.Paused:
				text += " (paused)"
			case silent == 1:
				text += " (1 node has not reported)"
			case silent > 1:
				text += fmt.Sprintf(" (%d nodes have not reported)", silent)
			}
			left = append(left, text)
		}
	}
	if !j.last.lastContact.IsZero() {
		left = append(left, "last heard "+j.last.lastContact.Format(time.TimeOnly))
	}
	return fmt.Errorf("not done within %s: %s", timeout, strings.Join(left, ", "))
}
