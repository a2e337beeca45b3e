package cluster_test

import (
	"math"
	"slices"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// worker returns the pool worker with the target configB.
func worker(maxUnavailable string, changes ...func(*mcfgv1.MachineConfigPool)) *mcfgv1.MachineConfigPool {
	p := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	p.Spec.Configuration.Name = configB
	if maxUnavailable != "" {
		limit := intstr.Parse(maxUnavailable)
		p.Spec.MaxUnavailable = &limit
	}
	for _, change := range changes {
		change(p)
	}
	return p
}

// updated makes a pool Updated for its target.
func updated(p *mcfgv1.MachineConfigPool) {
	p.Status.Configuration.Name = p.Spec.Configuration.Name
	p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{Type: mcfgv1.MachineConfigPoolUpdated, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(at(20))})
}

// retargeted makes a pool that got its target at a time, or at an unknown time if minutes is infinite.
func retargeted(minutes float64) func(*mcfgv1.MachineConfigPool) {
	var when metav1.Time
	if !math.IsInf(minutes, -1) {
		when = metav1.NewTime(at(minutes))
	}
	return func(p *mcfgv1.MachineConfigPool) {
		p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{Type: mcfgv1.MachineConfigPoolUpdated, Status: corev1.ConditionFalse, LastTransitionTime: when})
	}
}

func paused(p *mcfgv1.MachineConfigPool) { p.Spec.Paused = true }

func unavailable(n int32) func(*mcfgv1.MachineConfigPool) {
	return func(p *mcfgv1.MachineConfigPool) { p.Status.UnavailableMachineCount = n }
}

// Nodes of the pool worker.

func waitingNode(name string) cluster.Node {
	return cluster.Node{Node: mco.Node{Node: progress.Node{Name: name, Pool: "worker", Desired: target(configA), Current: target(configA), Done: true}, Completed: at(-600)}}
}

func finishedNode(name string, requested, ended float64) cluster.Node {
	return cluster.Node{Node: mco.Node{Node: progress.Node{Name: name, Pool: "worker", Desired: target(configB), Current: target(configB), Done: true}, Requested: at(requested), Completed: at(ended), Since: at(ended)}}
}

func requestedNode(name string, requested float64) cluster.Node {
	return cluster.Node{Node: mco.Node{Node: progress.Node{Name: name, Pool: "worker", Desired: target(configB), Current: target(configA), Update: progress.Requested}, Requested: at(requested), Since: at(requested), Step: phases.UpdatePrepared}}
}

// drainingNode returns a node that was prepared for a minute, and has been draining since a time.
func drainingNode(name string, since float64) cluster.Node {
	n := requestedNode(name, since-1)
	n.Update, n.Started, n.Since, n.Step = progress.Started, at(since-1), at(since), phases.Drained
	n.Steps = []mco.Step{{Phase: phases.UpdatePrepared, State: mco.Finished, End: at(since), Duration: time.Minute}, {Phase: phases.Drained, State: mco.Running}}
	return n
}

// rebootingNode returns a node that was drained for some minutes, and has been rebooting since a time.
func rebootingNode(name string, since, drained float64) cluster.Node {
	n := drainingNode(name, since-drained)
	n.Step, n.Since = phases.RebootedNode, at(since)
	n.Steps[1] = mco.Step{Phase: phases.Drained, State: mco.Finished, End: at(since), Duration: at(drained).Sub(start)}
	n.Steps = append(n.Steps, mco.Step{Phase: phases.RebootedNode, State: mco.Running})
	return n
}

func degradedNode(n cluster.Node, since float64) cluster.Node {
	n.Degraded, n.DegradedSince = true, at(since)
	return n
}

func failingNode(name string, since float64) cluster.Node {
	n := drainingNode(name, since)
	n.Failing = true
	return n
}

func notReady(n cluster.Node) cluster.Node {
	n.Unavailable = []progress.Unavailable{{Reason: progress.NotReady}}
	return n
}

func cordoned(n cluster.Node) cluster.Node {
	n.Unavailable = []progress.Unavailable{{Reason: progress.Cordoned}}
	return n
}

func one(t testing.TB, p *mcfgv1.MachineConfigPool, minutes float64, nodes ...cluster.Node) cluster.Pool {
	t.Helper()
	pools := poolsOf([]*mcfgv1.MachineConfigPool{p}, nodes, at(minutes))
	require.Len(t, pools, 1)
	return pools[0]
}

func stuckNames(p cluster.Pool) []string {
	var names []string
	for _, s := range p.StuckNodes() {
		names = append(names, s.Name)
	}
	return names
}

func TestNoNodeIsDoneWithoutATarget(t *testing.T) {
	p := worker("")
	p.Spec.Configuration.Name = ""
	assert.Equal(t, 1, one(t, p, 1, finishedNode("a", 0, 1)).Waiting, "no node is done in a pool without a config")
	assert.Equal(t, 1, one(t, p, 1, cluster.Node{Node: mco.Node{Node: progress.Node{Pool: "worker", Done: true}}}).Waiting, "a node without a config is not done")

	of := func(n cluster.Node, pool string) cluster.Node {
		n.Pool = pool
		return n
	}
	pools := poolsOf([]*mcfgv1.MachineConfigPool{nil, worker("")}, []cluster.Node{
		of(finishedNode("a", 0, 1), "gpu"), of(waitingNode("b"), "gpu"), of(waitingNode("c"), ""), of(waitingNode("d"), "master"),
	}, at(1))
	var names []string
	for _, p := range pools {
		names = append(names, p.Name)
	}
	assert.Equal(t, []string{"master", "", "gpu", "worker"}, names)
	gpu := pools[2]
	assert.Equal(t, 2, gpu.Idle, "without a pool, no node is done")
	assert.False(t, gpu.IsDone())
	assert.Zero(t, gpu.MaxUnavailable)
	assert.Empty(t, gpu.Target)
	assert.Nil(t, gpu.Remaining)
	assert.Empty(t, pools[3].Nodes)
}

func TestTheTypicalDurationIsTheMedian(t *testing.T) {
	a, b, c, d := finishedNode("a", 0, 20), finishedNode("b", 0, 6), finishedNode("c", 0, 8), finishedNode("d", 0, 9)
	assert.Zero(t, one(t, worker(""), 60).Typical)
	assert.Equal(t, 20*time.Minute, one(t, worker(""), 60, a).Typical)
	assert.Equal(t, 13*time.Minute, one(t, worker(""), 60, a, b).Typical)
	assert.Equal(t, 8*time.Minute, one(t, worker(""), 60, a, b, c).Typical)
	assert.Equal(t, 8*time.Minute+30*time.Second, one(t, worker(""), 60, a, b, c, d).Typical)
	b.WasTakenBack = true
	assert.Equal(t, 8*time.Minute+30*time.Second, one(t, worker(""), 60, b, c, d).Typical, "an update that was taken back has no duration")
}

// The Node and its MachineConfigNode are not read at the same moment, so a cordon counts as lifted a minute after it was made.
func TestALiftedCordonMakesANodeSlow(t *testing.T) {
	for name, n := range map[string]cluster.Node{"at the same step": drainingNode("n", 99), "at the next step": rebootingNode("n", 99.8, 0.5)} {
		n.IsLifted, n.CordonedAt = true, at(99)
		for now, want := range map[float64]bool{99.9: false, 100: true} {
			got := one(t, worker(""), now, n).Nodes[0]
			assert.Equal(t, want, got.Slow, name)
			assert.Equal(t, want, got.IsLifted, name)
		}
	}
}

func TestANodeOverTheLimitIsStuck(t *testing.T) {
	for name, tc := range map[string]struct {
		node cluster.Node
		want string // stuck, slow, or nothing
	}{
		"a drain at the limit":               {drainingNode("n", 240), "slow"},
		"a drain over the limit":             {drainingNode("n", 239.99), "stuck"},
		"a reboot of a third of the limit":   {rebootingNode("n", 290, 3), ""},
		"a reboot over a third of the limit": {rebootingNode("n", 270, 3), "slow"},
		"a reboot over the limit":            {rebootingNode("n", 269.99, 3), "stuck"},
		"requested, at the limit":            {requestedNode("n", 270), "slow"},
		"requested long ago, never started":  {cluster.Node{Node: mco.Node{Node: progress.Node{Name: "n", Pool: "worker", Update: progress.Requested}, Step: phases.UpdatePrepared, Completed: at(289)}}, "slow"},
		"requested earlier, never started":   {cluster.Node{Node: mco.Node{Node: progress.Node{Name: "n", Pool: "worker", Update: progress.Requested}, Step: phases.UpdatePrepared, Completed: at(290)}}, ""},
		"failing since an unknown time": {func() cluster.Node {
			n := failingNode("n", 299)
			n.Since, n.Started = time.Time{}, time.Time{}
			return n
		}(), "slow"},
		"started a moment ago, and the time of the step is not known": {cluster.Node{Node: mco.Node{Node: progress.Node{Name: "n", Pool: "worker", Update: progress.Started}, Step: phases.Uncordoned, Requested: at(240), Started: at(295)}}, ""},
		"started long ago, and the time of the step is not known":     {cluster.Node{Node: mco.Node{Node: progress.Node{Name: "n", Pool: "worker", Update: progress.Started}, Step: phases.Uncordoned, Started: at(280)}}, "slow"},
		"requested at an unknown time":                                {cluster.Node{Node: mco.Node{Node: progress.Node{Name: "n", Pool: "worker", Update: progress.Requested}, Step: phases.UpdatePrepared}}, ""},
		"a drain that begins in the future":                           {drainingNode("n", 500), ""},
		"degraded in the future":                                      {degradedNode(drainingNode("n", 299), 400), "stuck"},
		"degraded since an unknown time":                              {cluster.NewNode(nil, mcn(is(phases.NodeDegraded, yes, 0), withDesired(configB))), "stuck"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.node.Name = "n"
			p := one(t, worker("5"), 300, tc.node)
			n := p.Nodes[slices.IndexFunc(p.Nodes, func(n cluster.Node) bool { return n.Name == "n" })]
			assert.Equal(t, tc.want == "stuck", n.State == cluster.Stuck, n.State)
			assert.Equal(t, tc.want == "slow", n.Slow)
		})
	}
}

func TestDegradedNodesComeFirstThenTheLongestStuck(t *testing.T) {
	nodes := []cluster.Node{
		rebootingNode("a", 95, 2), rebootingNode("b", 95, 4), rebootingNode("c", 95, 3), drainingNode("d", 33), degradedNode(drainingNode("e", 80), 89),
		requestedNode("f", 20), degradedNode(requestedNode("g", 95), 300),
	}
	p := one(t, worker("7"), 100, nodes...)
	require.Equal(t, []string{"e", "g", "f", "d"}, stuckNames(p), "degraded nodes come first, then the nodes that are stuck for longest")
	assert.Equal(t, []int{3, 4}, []int{p.Updating, p.Stuck})
	stuck := p.StuckNodes()
	assert.Equal(t, 11*time.Minute, stuck[0].For, "a degraded node is stuck since it is degraded, not since its step began")
	assert.Zero(t, stuck[1].For)
	assert.Equal(t, 80*time.Minute, stuck[2].For)
	assert.Equal(t, 67*time.Minute, stuck[3].For)

	since20, a, b := worker("7", withCondition("NodeDegraded", "")), degradedNode(drainingNode("a", 15), 89), degradedNode(drainingNode("b", 80), 89)
	assert.Equal(t, 80*time.Minute, one(t, since20, 100, a, waitingNode("w")).StuckNodes()[0].For, "the pool's time counts, because some daemons change the time of NodeDegraded at each attempt")
	assert.Equal(t, 11*time.Minute, one(t, since20, 100, b).StuckNodes()[0].For, "the pool's time does not count if it is before the start of the update")
	a.DegradedSince = time.Time{}
	assert.Equal(t, 80*time.Minute, one(t, since20, 100, a).StuckNodes()[0].For, "the pool's time counts if only the Node says that the node is degraded")
	a.DegradedSince = at(18)
	assert.Equal(t, 82*time.Minute, one(t, since20, 100, a).StuckNodes()[0].For, "the node's time counts if the pool's time is later")
	a.DegradedSince = at(89)
	drifted := degradedNode(finishedNode("d", 0, 40), 89)
	assert.Equal(t, 11*time.Minute, one(t, since20, 100, drifted).StuckNodes()[0].For, "the pool's time does not count if it is before the end of the last update")
	assert.Equal(t, 11*time.Minute, one(t, since20, 100, a, b).StuckNodes()[0].For, "the pool's time does not count if two nodes are degraded")

	m := mcn(withDesired(configB), is(phases.Updated, no, 5), is(phases.NodeDegraded, yes, 6))
	conditions.Find(m.Status.Conditions, phases.NodeDegraded).LastTransitionTime = metav1.Time{}
	assert.Zero(t, one(t, worker(""), 100, cluster.NewNode(nil, m)).StuckNodes()[0].For, "the time is not known")
}

func TestNodesThatTakeEveryPlaceBlockAPool(t *testing.T) {
	nodes := func(nodes ...cluster.Node) []cluster.Node { return nodes }
	for name, tc := range map[string]struct {
		pool  *mcfgv1.MachineConfigPool
		nodes []cluster.Node
		want  string
	}{
		"no node is stuck":                                              {worker("1"), nodes(drainingNode("a", 99), waitingNode("b")), ""},
		"a pool that is not known":                                      {nil, nodes(drainingNode("a", 9), waitingNode("b")), ""},
		"an unavailable node takes the only place":                      {worker("1", unavailable(1)), nodes(waitingNode("a"), waitingNode("b")), "blocked"},
		"an unavailable node and an updating node share the only place": {worker("1", unavailable(2)), nodes(drainingNode("a", 99), waitingNode("b")), "blocked"},
		"an update and the only waiting node take both places":          {worker("2"), nodes(drainingNode("a", 99), cordoned(waitingNode("b"))), ""},
		"the only waiting node takes the only place":                    {worker("1"), nodes(cordoned(waitingNode("b"))), "blocked"},
		"a limit that is no percentage, and a cordoned Node":            {worker("two"), nodes(cordoned(finishedNode("a", 0, 9)), waitingNode("b")), ""},
		"the number of unavailable nodes is negative":                   {worker("1", unavailable(-1)), nodes(waitingNode("b")), ""},
	} {
		got := one(t, tc.pool, 100, tc.nodes...)
		assert.Equal(t, tc.want == "blocked", got.Blocked, name)
		assert.Equal(t, tc.want != "", got.Full, name)
	}
}

func TestTheRemainingTimeIsKnownAfterThreeUpdates(t *testing.T) {
	three := []cluster.Node{finishedNode("a", 0, 8), finishedNode("b", 0, 6), finishedNode("c", 6, 13)}
	with := func(nodes ...cluster.Node) []cluster.Node { return append(slices.Clone(three), nodes...) }
	unreported := cluster.Node{Node: mco.Node{Node: progress.Node{Name: "u", Pool: "worker"}}} // it is not known whether this node must be updated
	for name, tc := range map[string]struct {
		pool  *mcfgv1.MachineConfigPool
		nodes []cluster.Node
		left  float64
		known bool
	}{
		"all done": {worker("", retargeted(99)), three, 0, true},
		"one of three updates ends before its start": {worker("", retargeted(99)), []cluster.Node{three[0], three[1], finishedNode("c", 9, 8), drainingNode("d", 99)}, 0, false},
		"one updating":                                {worker("", retargeted(99)), with(drainingNode("d", 99)), 5, true},
		"one updating for longer than usual":          {worker("", retargeted(99)), with(drainingNode("d", 91)), 0, true},
		"one updating, by a clock that is ahead":      {worker("", retargeted(99)), with(drainingNode("d", 103)), 7, true},
		"paused":                                      {worker("", paused, retargeted(99)), with(waitingNode("d")), 0, false},
		"one waiting":                                 {worker("", retargeted(99)), with(waitingNode("d")), 7, true},
		"three waiting for two places":                {worker("2", retargeted(99)), with(waitingNode("d"), waitingNode("e"), waitingNode("f")), 14, true},
		"blocked by a node that is done":              {worker("1", retargeted(99)), with(notReady(finishedNode("s", 0, 7)), waitingNode("d")), 0, false},
		"one unreported, one waiting, one updating":   {worker("2", retargeted(99)), with(unreported, waitingNode("d"), drainingNode("e", 99)), 12, true},
		"no nodes":                                    {worker("", retargeted(99)), nil, 0, false},
		"nothing happens for 10 minutes":              {worker("", retargeted(90)), with(waitingNode("d")), 0, false},
		"durations that overflow":                     {worker("", retargeted(99)), []cluster.Node{finishedNode("a", -1.5e8, 8), finishedNode("b", -1.5e8, 6), finishedNode("c", -1.5e8, 13), waitingNode("d")}, 0, false},
		"one waiting is cordoned":                     {worker("2", retargeted(99)), with(cordoned(waitingNode("d")), drainingNode("e", 99)), 0, false},
		"two updating, four waiting for three places": {worker("3", retargeted(99)), with(drainingNode("d", 99), drainingNode("e", 99), waitingNode("f"), waitingNode("g"), waitingNode("h"), waitingNode("i")), 19, true},
		"more updating than places":                   {worker("1", retargeted(99)), with(drainingNode("d", 99), drainingNode("e", 98), waitingNode("f")), 12, true},
		"an update lasts from its request, not from its start": {worker("1", retargeted(99)), with(func() cluster.Node {
			n := drainingNode("d", 99)
			n.Requested = at(96)
			return n
		}()), 3, true},
		"start unknown": {worker("1", retargeted(99)), with(cluster.Node{Node: mco.Node{Node: progress.Node{Name: "d", Pool: "worker", Update: progress.Started}, Step: phases.Drained}}), 7, true},
	} {
		p := one(t, tc.pool, 100, tc.nodes...)
		require.Equal(t, tc.known, p.Remaining != nil, name)
		if tc.known {
			assert.Equal(t, at(tc.left).Sub(start), *p.Remaining, name)
		}
	}
}

// The status of a pool counts nodes that have no MachineConfigNode.
func TestNodesWithoutAnObjectAreMissing(t *testing.T) {
	assert.Empty(t, poolsOf(nil, nil, time.Time{}))
	for _, tc := range []struct {
		machines       int32
		nodes, missing int
	}{{0, 0, 0}, {3, 0, 3}, {3, 2, 1}, {3, 3, 0}, {2, 3, 0}, {-1, 0, 0}} {
		p := worker("")
		p.Status.MachineCount = tc.machines
		got := one(t, p, 0, slices.Repeat([]cluster.Node{waitingNode("a")}, tc.nodes)...)
		assert.Equal(t, tc.missing, got.Missing, tc)
		assert.Len(t, got.Nodes, tc.nodes)
	}
	p := worker("")
	p.Status.MachineCount, p.Status.UpdatedMachineCount = 3, 2
	assert.Equal(t, 2, one(t, p, 0, finishedNode("a", 0, 1)).Done, "the status counts one missing node as updated")
	p = worker("", updated)
	p.Status.MachineCount = 3
	assert.Equal(t, 3, one(t, p, 0, finishedNode("a", 0, 1)).Done, "the pool is Updated, so its missing nodes are done")
	p = worker("", building)
	p.Status.MachineCount, p.Status.UpdatedMachineCount = 3, 3
	assert.Equal(t, 2, one(t, p, 0, finishedNode("a", 0, 1)).Unreported, "no node has an image that is not built")
}
