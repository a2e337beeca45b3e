package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/examples/internal/program"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// pool returns a pool of three nodes, some of which are done.
func pool(target string, done int) progress.Pool {
	return progress.Pool{Name: "worker", Target: target, MaxUnavailable: 1, Done: done, Waiting: 3 - done}
}

// hanging returns a pool with a stuck node that is degraded since a time, or not for zero.
func hanging(target string, degraded time.Time) progress.Pool {
	p := pool(target, 1)
	p.Waiting, p.Updating = 1, 1
	p.Stuck = []progress.Stuck{{
		Node: progress.Node{Name: "worker-1", State: progress.Updating, Step: "Drained", Degraded: degraded, Why: "no\x1b[2J room"},
		For:  11 * time.Minute,
	}}
	return p
}

// missing returns a pool with another node, which has no MachineConfigNode.
func missing(p progress.Pool) progress.Pool {
	p.Missing = 1
	return p
}

// look is a view some time after the begin of the waiting.
type look struct {
	after time.Duration
	pools []progress.Pool
	away  bool
}

func TestJudge(t *testing.T) {
	const minute = time.Minute
	for name, test := range map[string]struct {
		from  []string
		named []string
		looks []look
		code  int // of the last view; -1: not over yet
		want  string
	}{
		"done":                       {looks: []look{{0, []progress.Pool{pool("b", 3)}, false}}},
		"not done":                   {looks: []look{{0, []progress.Pool{pool("b", 2)}, false}}, code: -1},
		"done after a while":         {looks: []look{{0, []progress.Pool{pool("b", 2)}, false}, {minute, []progress.Pool{pool("b", 3)}, false}}},
		"done before it has begun":   {from: []string{"a"}, looks: []look{{0, []progress.Pool{pool("a", 3)}, false}}, code: -1},
		"done after it has begun":    {from: []string{"a"}, looks: []look{{0, []progress.Pool{pool("a", 3)}, false}, {5, []progress.Pool{pool("b", 0)}, false}, {9, []progress.Pool{pool("b", 3)}, false}}},
		"done before the first view": {from: []string{"a"}, looks: []look{{0, []progress.Pool{pool("b", 3)}, false}}},
		"never begins":               {from: []string{"a"}, looks: []look{{0, []progress.Pool{pool("a", 3)}, false}, {minute, []progress.Pool{pool("a", 3)}, false}}, code: exitTimeout, want: "no update has begun within 1m0s: the target of worker"},
		"begins, and continues":      {from: []string{"a"}, looks: []look{{0, []progress.Pool{pool("a", 3)}, false}, {59 * time.Second, []progress.Pool{pool("b", 0)}, false}, {9 * minute, []progress.Pool{pool("b", 2)}, false}}, code: -1},
		"the target changes midway":  {looks: []look{{0, []progress.Pool{pool("b", 2)}, false}, {minute, []progress.Pool{pool("c", 0)}, false}}, code: -1},
		"the new target is reached":  {looks: []look{{0, []progress.Pool{pool("b", 2)}, false}, {minute, []progress.Pool{pool("c", 0)}, false}, {2 * minute, []progress.Pool{pool("c", 3)}, false}}},
		"the target is reverted":     {from: []string{"a"}, looks: []look{{0, []progress.Pool{pool("b", 2)}, false}, {2 * minute, []progress.Pool{pool("a", 3)}, false}}, code: exitTimeout, want: "no update has begun"},
		"just degraded":              {looks: []look{{0, []progress.Pool{hanging("b", now.Add(-minute))}, false}}, code: -1},
		"degraded for long":          {looks: []look{{0, []progress.Pool{hanging("b", now.Add(-6*minute))}, false}}, code: program.ExitFailure, want: "worker-1 of worker is stuck, degraded for 11m"},
		"degraded until it is long":  {looks: []look{{0, []progress.Pool{hanging("b", now)}, false}, {5 * minute, []progress.Pool{hanging("b", now)}, false}}, code: program.ExitFailure, want: "degraded"},
		"recovers in time":           {looks: []look{{0, []progress.Pool{hanging("b", now)}, false}, {4 * minute, []progress.Pool{pool("b", 2)}, false}, {6 * minute, []progress.Pool{pool("b", 2)}, false}}, code: -1},
		"recovers, and fails again":  {looks: []look{{0, []progress.Pool{hanging("b", now)}, false}, {4 * minute, []progress.Pool{pool("b", 2)}, false}, {6 * minute, []progress.Pool{hanging("b", now.Add(6*minute))}, false}}, code: -1},
		"stuck at the first view":    {looks: []look{{0, []progress.Pool{hanging("b", time.Time{})}, false}}, code: -1},
		"stuck for long":             {looks: []look{{0, []progress.Pool{hanging("b", time.Time{})}, false}, {5 * minute, []progress.Pool{hanging("b", time.Time{})}, false}}, code: program.ExitFailure, want: `worker-1 of worker is stuck, Draining for 11m: no\x1b[2J room`},
		"stuck, not for long":        {looks: []look{{0, []progress.Pool{hanging("b", time.Time{})}, false}, {4 * minute, []progress.Pool{pool("b", 2)}, false}, {8 * minute, []progress.Pool{hanging("b", time.Time{})}, false}}, code: -1},
		"stuck in an earlier update": {from: []string{"a"}, looks: []look{{0, []progress.Pool{hanging("a", now.Add(-time.Hour))}, false}}, code: -1},
		"stuck, server unreachable":  {looks: []look{{0, []progress.Pool{hanging("b", time.Time{})}, false}, {9 * minute, []progress.Pool{hanging("b", time.Time{})}, true}}, code: -1},
		"done, server unreachable":   {looks: []look{{0, []progress.Pool{pool("b", 3)}, true}}, code: -1},
		"no such pool":               {named: []string{"infra"}, looks: []look{{0, []progress.Pool{pool("b", 3)}, false}}, code: program.ExitUsage, want: `unknown pool "infra": the pools are worker`},
		"no pool":                    {looks: []look{{0, nil, false}}, code: program.ExitUsage, want: "nothing to wait for"},
		"the pool is deleted":        {named: []string{"worker"}, looks: []look{{0, []progress.Pool{pool("b", 2)}, false}, {minute, nil, false}}, code: program.ExitUsage, want: "nothing is left to wait for"},
		"all pools are deleted":      {looks: []look{{0, []progress.Pool{pool("b", 2)}, false}, {minute, nil, false}}, code: program.ExitUsage, want: "nothing is left to wait for"},
		"only its nodes are left":    {named: []string{"worker"}, looks: []look{{0, []progress.Pool{pool("b", 2)}, false}, {minute, []progress.Pool{{Name: "worker", Done: 3}}, false}}, code: program.ExitUsage, want: "nothing is left to wait for"},
		"one of two pools is done":   {looks: []look{{0, []progress.Pool{{Name: "master", Done: 3, MaxUnavailable: 1}, pool("b", 2)}, false}}, code: -1},
		"the other one is not named": {named: []string{"master"}, looks: []look{{0, []progress.Pool{{Name: "master", Done: 3, MaxUnavailable: 1}, pool("b", 2)}, false}}},
		"no node has reported":       {looks: []look{{0, []progress.Pool{{Name: "worker", MaxUnavailable: 1, Missing: 3}}, false}}, code: -1},
		"one node has not reported":  {looks: []look{{0, []progress.Pool{missing(pool("b", 2))}, false}, {minute, []progress.Pool{missing(pool("b", 3))}, false}}, code: -1},
		"all nodes have reported":    {looks: []look{{0, []progress.Pool{missing(pool("b", 3))}, false}, {minute, []progress.Pool{pool("b", 3)}, false}}},
		"no nodes":                   {looks: []look{{0, []progress.Pool{{Name: "worker", MaxUnavailable: 1}}, false}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := waiting{from: test.from, beginWithin: minute, tolerate: 5 * minute}
			require.NoError(t, w.complete(test.named))
			j := newJudge(w, now)
			var last verdict
			for i, l := range test.looks {
				v := view{time: now.Add(l.after), pools: l.pools, filled: true}
				if l.away {
					v.lastContact = now
				}
				v, err := j.pools(v)
				if err != nil {
					var exit *exitError
					require.ErrorAs(t, err, &exit)
					last = verdict{code: exit.code, err: err}
				} else {
					last = j.judge(v)
				}
				if i < len(test.looks)-1 {
					require.NoError(t, last.err)
					require.False(t, last.done, "too early")
				}
			}
			switch test.code {
			case -1:
				assert.NoError(t, last.err)
				assert.False(t, last.done)
			case program.ExitSuccess:
				assert.NoError(t, last.err)
				assert.True(t, last.done)
			default:
				require.Error(t, last.err)
				assert.Equal(t, test.code, last.code)
				assert.Contains(t, last.err.Error(), test.want)
			}
		})
	}
}

func TestUnfinished(t *testing.T) {
	j := newJudge(waiting{from: []string{"a"}}, now)
	assert.EqualError(t, j.unfinished(time.Minute), "not done within 1m0s: the cluster has not been seen")
	paused := pool("b", 1)
	paused.Paused = true
	j.judge(view{time: now, pools: []progress.Pool{{Name: "infra", Target: "a"}, paused, {Name: "master", Done: 3}}})
	assert.EqualError(t, j.unfinished(time.Minute), "not done within 1m0s: infra has not begun, worker 1/3 (paused)")
	j.judge(view{time: now, pools: []progress.Pool{missing(pool("b", 3)), {Name: "infra", Missing: 3}}})
	assert.EqualError(t, j.unfinished(time.Minute), "not done within 1m0s: worker 3/4 (1 node has not reported), infra 0/3 (3 nodes have not reported)")
	j.last.lastContact = now
	assert.ErrorContains(t, j.unfinished(time.Minute), "last heard 14:16:05")
}
