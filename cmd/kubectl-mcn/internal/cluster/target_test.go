package cluster_test

import (
	"slices"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/poolwords"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

func imaged(name, desired, current string, requested, ended float64) cluster.Node {
	n := finishedNode(name, requested, ended)
	n.Desired.Image, n.Current.Image = desired, current
	if desired != current {
		n.Done, n.Update, n.Step, n.Since, n.Completed = false, progress.Requested, phases.UpdatePrepared, at(requested), at(-600)
	}
	return n
}

// If a rollout changes only the image, the newest desired image is the target.
func TestTheNewestDesiredImageIsTheTarget(t *testing.T) {
	for name, tc := range map[string]struct {
		nodes []cluster.Node
		image string
		want  [3]int // the number of nodes that are done, updating, waiting
	}{
		"one of three nodes has the new image":           {[]cluster.Node{imaged("a", "y", "y", 50, 58), imaged("b", "x", "x", 0, 5), imaged("c", "x", "x", 6, 9)}, "y", [3]int{1, 0, 2}},
		"the new image was requested at an unknown time": {[]cluster.Node{func() cluster.Node { n := imaged("a", "y", "x", 50, 0); n.Requested = time.Time{}; return n }(), imaged("b", "x", "x", 50, 58)}, "y", [3]int{0, 1, 1}},
		"two images are requested":                       {[]cluster.Node{imaged("a", "z", "x", 50, 0), imaged("b", "y", "x", 40, 0)}, "z", [3]int{0, 2, 0}},
		"image mode is switched on":                      {[]cluster.Node{imaged("a", "y", "y", 50, 58), finishedNode("b", 0, 5)}, "y", [3]int{1, 0, 1}},
		"image mode is switched off":                     {[]cluster.Node{imaged("a", "", "", 50, 58), imaged("b", "x", "x", 0, 5)}, "", [3]int{1, 0, 1}},
		"an image of another config":                     {[]cluster.Node{imaged("a", "y", "y", 50, 58), func() cluster.Node { n := waitingNode("b"); n.Desired.Image, n.Current.Image = "z", "z"; return n }()}, "y", [3]int{1, 0, 1}},
	} {
		for range 2 {
			slices.Reverse(tc.nodes)
			p := one(t, worker("1", updated), 60, tc.nodes...)
			assert.Equal(t, progress.Target{Config: configB, Image: tc.image}, p.Target, name)
			assert.Equal(t, tc.want, [3]int{p.Done, p.Updating, p.Waiting}, name)
			assert.Equal(t, tc.want[0] == len(tc.nodes), p.IsDone(), name)
			assert.False(t, slices.ContainsFunc(p.Nodes, func(n cluster.Node) bool { return n.OffTarget }), "only another config is off the target: "+name)
		}
		for i := range tc.nodes { // caches drop managedFields
			tc.nodes[i].Requested = time.Time{}
		}
		p := one(t, worker("1"), 60, tc.nodes...)
		assert.Equal(t, tc.image, p.Target.Image, "%s, without the times of the requests", name)
	}
}

// In image mode, the number of updated machines in the status tells which image the pool has. If the number fits the newest
// image or none, the newest image is the target.
func TestTheNumberOfUpdatedMachinesDecidesTheImage(t *testing.T) {
	pool := worker("1", withCondition(mcfgv1.MachineConfigPoolUpdating, poolwords.Degraded))
	nodes := []cluster.Node{imaged("a", "y", "y", 50, 58), imaged("b", "x", "x", 0, 5), imaged("c", "x", "x", 0, 5), imaged("d", "v", "v", 0, 5)}
	for count, want := range map[int32]string{1: "y", 2: "x", 3: "y"} {
		pool.Status.UpdatedMachineCount = count
		assert.Equal(t, want, one(t, pool, 60, nodes...).Target.Image, count)
	}
	pool.Status.UpdatedMachineCount = 3
	assert.Equal(t, "y", one(t, pool, 60, append(nodes, imaged("e", "", "", 55, 59))...).Target.Image, "a node without an image does not have the target")
	pool.Status.UpdatedMachineCount = 1
	assert.Equal(t, 1, one(t, pool, 60, imaged("a", "y", "x", 50, 0), imaged("b", "x", "x", 0, 5)).Updating, "a request of an image is not withdrawn: the number may be old")
	says := withCondition(mcfgv1.MachineConfigPoolUpdating, "All nodes are updating to MachineConfig "+configB+" / Image z")
	assert.Equal(t, "z", one(t, worker("1", says), 60, nodes...).Target.Image, "the pool has named its image")
	p := one(t, worker("1"), 60, imaged("a", "y", "y", 50, 58), imaged("b", "z", "x", 40, 0))
	assert.Equal(t, "y", p.Target.Image, "without a number, the last request decides")
	built := withCondition(mcfgv1.MachineConfigPoolUpdating, "Pool is paused; OS image build completed successfully (mosb: b)")
	for _, state := range []func(*mcfgv1.MachineConfigPool){building, built, withCondition("ImageBuildDegraded", "exit status 125")} {
		p = one(t, worker("1", state), 60, imaged("a", "x", "x", 0, 5))
		assert.Equal(t, progress.Target{Config: configB}, p.Target, "the nodes have the image of the target before")
		assert.Equal(t, 1, p.Waiting)
	}
}

func withCondition(kind mcfgv1.MachineConfigPoolConditionType, message string) func(*mcfgv1.MachineConfigPool) {
	return func(p *mcfgv1.MachineConfigPool) {
		p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{
			Type: kind, Status: corev1.ConditionTrue, Message: message, LastTransitionTime: metav1.NewTime(at(20)),
		})
	}
}

// building makes a pool wait for its image.
func building(p *mcfgv1.MachineConfigPool) {
	withCondition(mcfgv1.MachineConfigPoolUpdating, "Pool is waiting for OS image build to complete (mosb: b)")(p)
}

// A pool whose nodes are all done may still have a problem of its own, such as a failed build.
func TestAPoolHasProblemsThatNoNodeShows(t *testing.T) {
	done := finishedNode("a", 0, 1)
	pinning := done
	pinning.PinnedImageSets = []mco.PinnedImageSet{{Name: "test-pinned", Failed: true}}
	type change = func(*mcfgv1.MachineConfigPool)
	for name, tc := range map[string]struct {
		changes []change
		node    cluster.Node
		want    []string
		done    bool
	}{
		"cannot render":                                        {[]change{withCondition("Degraded", ""), withCondition("RenderDegraded", "\x1b[31mduplicate\x1b[0m osImageURL")}, done, []string{"RenderDegraded duplicate osImageURL"}, false},
		"a build that failed":                                  {[]change{withCondition("ImageBuildDegraded", "y")}, done, []string{"ImageBuildDegraded y"}, false},
		"Degraded without a cause":                             {[]change{withCondition("Degraded", "odd")}, done, []string{"Degraded odd"}, false},
		"NodeDegraded, and a node shows the cause":             {[]change{withCondition("Degraded", ""), withCondition("NodeDegraded", "1 node")}, degradedNode(done, 30), nil, false},
		"NodeDegraded, and no node shows the cause":            {[]change{withCondition("Degraded", ""), withCondition("NodeDegraded", "1 node")}, done, []string{"NodeDegraded 1 node"}, false},
		"the synchronizer fails":                               {[]change{withCondition(mcfgv1.MachineConfigPoolSynchronizerDegraded, "no image")}, done, []string{"PoolSynchronizerDegraded no image"}, false},
		"PinnedImageSetsDegraded, and a node shows the cause":  {[]change{withCondition("Degraded", ""), withCondition("PinnedImageSetsDegraded", "1 node")}, pinning, nil, false},
		"PinnedImageSetsDegraded, and no node shows the cause": {[]change{withCondition("PinnedImageSetsDegraded", "1 node")}, done, []string{"PinnedImageSetsDegraded 1 node"}, false},
	} {
		p := one(t, worker("1", append(tc.changes, updated)...), 60, tc.node)
		var got []string
		for _, c := range p.Problems {
			assert.Equal(t, at(20), c.Since)
			got = append(got, c.Type+" "+c.Message)
		}
		assert.Equal(t, tc.want, got, name)
		assert.Equal(t, tc.done, p.IsDone(), name)
		assert.Zero(t, p.Waiting, name)
	}
	older := cluster.Objects{
		Pools: []*mcfgv1.MachineConfigPool{worker("1", withCondition("NodeDegraded", "a failed"), withCondition("Degraded", "a failed"))},
		Nodes: []cluster.Node{done}, Facts: cluster.Facts{Older: at(10)},
	}
	assert.Empty(t, cluster.Of(older, at(60)).Pools[0].Problems, "the nodes are newer than the pool")
}

// Without MachineConfigNodes, the counts in the pool's status are shown, and its condition Updated decides whether the
// pool is done.
func TestWithoutObjectsTheStatusOfThePoolDecides(t *testing.T) {
	counts := func(machines, updated, degraded int32) func(*mcfgv1.MachineConfigPool) {
		return func(p *mcfgv1.MachineConfigPool) {
			p.Status.MachineCount, p.Status.UpdatedMachineCount, p.Status.DegradedMachineCount = machines, updated, degraded
			p.Status.Configuration.Name = configB
		}
	}
	for name, tc := range map[string]struct {
		pool *mcfgv1.MachineConfigPool
		want [3]int // the number of nodes that are done, stuck, unreported
		done bool
	}{
		"updated":                          {worker("", counts(3, 3, 0), updated), [3]int{3, 0, 0}, true},
		"an image is built":                {worker("", counts(3, 3, 0), building), [3]int{0, 0, 3}, false},
		"the counts contradict each other": {worker("", counts(3, 9, 9)), [3]int{0, 3, 0}, false},
		"the message of NodeDegraded names the nodes": {
			worker("", counts(3, 1, 0), withCondition("NodeDegraded", `Node a is reporting: "disk \"full\"", Node b is reporting: "\q", Node a is reporting: "again"`)), [3]int{1, 2, 0}, false,
		},
		"the message of NodeDegraded names more nodes than are counted": {
			worker("", counts(1, 1, 0), withCondition("NodeDegraded", `Node a is reporting: "disk full", Node b is reporting: "disk full"`)), [3]int{0, 2, 0}, false,
		},
		"without machines": {worker("", updated), [3]int{}, true},
	} {
		p := poolsOf([]*mcfgv1.MachineConfigPool{tc.pool}, nil, time.Time{})[0]
		assert.Equal(t, tc.want, [3]int{p.Done, p.Stuck, p.Unreported}, name)
		assert.Equal(t, tc.done, p.IsDone(), name)
		assert.Equal(t, name != "without machines", p.FromStatus, name)
		for _, n := range p.Nodes {
			assert.Equal(t, "worker", n.Pool, name)
			assert.NotEmpty(t, n.Message, name)
		}
	}
}
