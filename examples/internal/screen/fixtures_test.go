package screen_test

import (
	"fmt"
	"time"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// now is the time on the screens.
var now = time.Date(2026, 3, 4, 14, 16, 5, 0, time.UTC)

const (
	hash = "7de7db7349148346f2cfd55ca51582cc"

	evictionFailed = `error when evicting pods/"pdb-app-0" -n "shop" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`
)

// standardSteps are the steps of a standard update.
var standardSteps = []phases.Phase{
	phases.UpdatePrepared, phases.Cordoned, phases.Drained, phases.AppliedFilesAndOS,
	phases.RebootedNode, phases.Resumed, phases.Uncordoned,
}

// updating returns a node that has been at a step for lap, and in its update for total.
func updating(name string, step phases.Phase, lap, total time.Duration, why string, took ...time.Duration) progress.Node {
	n := progress.Node{Name: name, State: progress.Updating, Step: step, Since: now.Add(-lap), Ordered: now.Add(-total), Begun: now.Add(-total), Why: why}
	mark := progress.Finished
	for i, p := range standardSteps {
		s := progress.Step{Phase: p, Mark: mark}
		switch {
		case p == step:
			s.Mark, mark = progress.Running, progress.ToDo
		case mark == progress.Finished && i < len(took):
			s.Took = took[i]
		}
		n.Steps = append(n.Steps, s)
	}
	return n
}

// with adds nodes to a pool, and counts those that are being updated.
func with(p progress.Pool, nodes ...progress.Node) progress.Pool {
	for i := range nodes {
		nodes[i].Pool = p.Name
	}
	p.Nodes = append(p.Nodes, nodes...)
	return p
}

func masters() progress.Pool {
	return progress.Pool{Name: "master", Target: "rendered-master-" + hash, MaxUnavailable: 1, Done: 3, Typical: 7*time.Minute + 57*time.Second}
}

func workers() progress.Pool {
	return progress.Pool{Name: "worker", Target: "rendered-worker-" + hash, MaxUnavailable: 1, Done: 3, Typical: 7*time.Minute + 57*time.Second}
}

// update is a rollout without failures.
func update() []progress.Pool {
	w := workers()
	w.Updating, w.Waiting, w.Left, w.LeftKnown = 1, 2, 18*time.Minute, true
	w = with(w, updating("worker-3", phases.RebootedNode, 114*time.Second, 5*time.Minute+42*time.Second,
		"Node will reboot into config rendered-worker-"+hash))
	return []progress.Pool{masters(), w}
}

// stuck is a rollout with a node whose drain is stuck.
func stuck() []progress.Pool {
	w := workers()
	w.MaxUnavailable, w.Updating, w.Waiting, w.Left, w.LeftKnown = 2, 2, 1, 12*time.Minute, true
	hangs := updating("worker-4", phases.Drained, 47*time.Minute+12*time.Second, 48*time.Minute, evictionFailed)
	w = with(w, updating("worker-3", phases.AppliedFilesAndOS, 78*time.Second, 3*time.Minute+42*time.Second, ""), hangs)
	w.Stuck = []progress.Stuck{{Node: hangs, For: 47*time.Minute + 12*time.Second, Typical: 2*time.Minute + 6*time.Second, Samples: 4}}
	return []progress.Pool{masters(), w}
}

// degraded is a rollout that is blocked by a failure.
func degraded() []progress.Pool {
	w := workers()
	w.Updating, w.Waiting, w.Blocked = 1, 2, true
	fails := updating("worker-4", phases.AppliedFilesAndOS, 12*time.Minute+12*time.Second, 15*time.Minute,
		"Node worker-4 upgrade failure. rename /home/.core1131580553 /home/core: file exists")
	fails.Degraded = now.Add(-11 * time.Minute)
	w = with(w, fails)
	w.Stuck = []progress.Stuck{{Node: fails, For: 11 * time.Minute}}
	return []progress.Pool{masters(), w}
}

// large is a rollout of 5,003 nodes.
func large() []progress.Pool {
	gpu := progress.Pool{Name: "gpu", Target: "rendered-gpu-" + hash, MaxUnavailable: 1, Done: 400, Typical: 19 * time.Minute}
	w := workers()
	w.MaxUnavailable, w.Done, w.Updating, w.Waiting = 460, 1868, 442, 2290
	w.Typical, w.Left, w.LeftKnown = 7*time.Minute+54*time.Second, 47*time.Minute, true

	laps := []time.Duration{6 * time.Second, 5 * time.Second, 2 * time.Minute, 81 * time.Second, 192 * time.Second, 5 * time.Second}
	hangs := func(name string, since time.Duration) progress.Stuck {
		n := updating(name, phases.Drained, since, since, evictionFailed)
		return progress.Stuck{Node: n, For: since, Typical: 2 * time.Minute, Samples: 294}
	}
	fails := updating("worker-eu-1811", phases.AppliedFilesAndOS, 11*time.Minute+48*time.Second, 15*time.Minute,
		"Node worker-eu-1811 upgrade failure. error pulling image quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:56bab0cd6a69: received unexpected HTTP status: 503 Service Unavailable")
	fails.Degraded = now.Add(-6 * time.Minute)
	w.Stuck = []progress.Stuck{
		hangs("worker-eu-1902", 52*time.Minute+12*time.Second),
		hangs("worker-eu-1733", 51*time.Minute+12*time.Second),
		{Node: fails, For: 6 * time.Minute},
	}
	for _, s := range w.Stuck {
		w = with(w, s.Node)
	}
	for _, step := range []struct {
		phase   phases.Phase
		nodes   int
		longest [3]string
		laps    [3]time.Duration
	}{
		{phases.UpdatePrepared, 5, [3]string{"2166", "2046", "1912"}, [3]time.Duration{6, 4, 3}},
		{phases.Cordoned, 7, [3]string{"1900", "2278", "2081"}, [3]time.Duration{4, 3, 2}},
		{phases.Drained, 134, [3]string{"1985", "2061", "2204"}, [3]time.Duration{152, 146, 144}},
		{phases.AppliedFilesAndOS, 82, [3]string{"1891", "2245", "2048"}, [3]time.Duration{92, 89, 89}},
		{phases.RebootedNode, 193, [3]string{"2174", "1989", "2200"}, [3]time.Duration{243, 241, 240}},
		{phases.Resumed, 4, [3]string{"2012", "2164", "2169"}, [3]time.Duration{2, 1, 1}},
		{phases.Uncordoned, 14, [3]string{"2062", "2052", "2299"}, [3]time.Duration{56, 52, 51}},
	} {
		for i := range step.nodes {
			name, lap := fmt.Sprintf("other-%s-%03d", step.phase, i), time.Second/2
			if i < len(step.longest) {
				name, lap = "worker-eu-"+step.longest[i], step.laps[i]*time.Second
			}
			n := updating(name, step.phase, lap, lap, "", laps...)
			if i == 1 && step.phase == phases.AppliedFilesAndOS {
				n.Since = n.Since.Add(-time.Millisecond) // before another one with the same seconds
			}
			w = with(w, n)
		}
	}
	return []progress.Pool{masters(), gpu, w}
}
