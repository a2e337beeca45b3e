package screen

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// Of a waiting node, the entry says that it has an OS image and its pool has none. A node that is updated loses the image.
func TestTheOldImageOfAWaitingNodeIsAReason(t *testing.T) {
	n := cluster.Node{State: cluster.Waiting}
	n.Name, n.Unavailable, n.Current.Image = "a", []progress.Unavailable{{Reason: progress.NotReady}}, "registry.example/os@sha256:1"
	pool := cluster.Pool{}
	what := func(n cluster.Node) string {
		problem := Problem{}
		pool.Nodes = []cluster.Node{n}
		problem.addUnavailable(pool, Options{})
		return problem.What
	}
	assert.Equal(t, ": a (NotReady, with an OS image that its pool does not have)", what(n))
	pool.Target.Image = "registry.example/os@sha256:2"
	assert.Equal(t, ": a (NotReady)", what(n), "the pool has an image")
	pool.Target.Image, pool.Build = "", &cluster.PoolCondition{}
	assert.Equal(t, ": a (NotReady)", what(n), "nobody knows the image of the pool yet")
	pool.Build, n.State = nil, cluster.Updating
	assert.Equal(t, ": a (NotReady)", what(n))
}

// Nodes may take places without a reason, for example while their daemons work on nothing that is requested.
func TestNodesThatTakePlacesWithoutAReasonAreCounted(t *testing.T) {
	pool := cluster.Pool{}
	for _, name := range []string{"a", "b", "c", "d"} {
		kube := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{
			nodemeta.CurrentConfig: "x", nodemeta.DesiredConfig: "x", nodemeta.State: "Working",
		}}}
		kube.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		pool.Nodes = append(pool.Nodes, cluster.NewNode(kube, nil))
	}
	problem := Problem{}
	problem.addUnavailable(pool, Options{})
	assert.Equal(t, ": 4 nodes with a daemon that is not done (a, b, c, and 1 more)", problem.What)
	assert.Len(t, problem.About, 4)
	assert.NotNil(t, problem.cause)
	problem, pool.Nodes = Problem{}, pool.Nodes[:2]
	problem.addUnavailable(pool, Options{})
	assert.Nil(t, problem.cause, "the entry of a pool with few such nodes has the commands of each")
}

// The entries of two pools and of the nodes of two other pools are about one outage. Entries of paused pools do not repeat it.
func TestAnOutageIsOneEntry(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC)
	pools := []cluster.Pool{
		{Name: "a", Paused: true, NotUpdated: &cluster.PoolCondition{Type: "NotUpdated", Since: now}, Unavailable: 3, Counts: cluster.Counts{Done: 3}},
		{Name: "b", Full: true, Blocked: true, Counts: cluster.Counts{Waiting: 3}},
		{Name: "c", Counts: cluster.Counts{Done: 3}},
		{Name: "d", Paused: true, Counts: cluster.Counts{Waiting: 3}},
	}
	for i := range pools {
		state := map[bool]cluster.State{true: cluster.Waiting, false: cluster.Done}[pools[i].Waiting > 0]
		for range 3 {
			n := cluster.Node{State: state, Node: mco.Node{Node: progress.Node{Name: pools[i].Name, Pool: pools[i].Name}}}
			n.Unavailable = []progress.Unavailable{{Reason: progress.NotReady}}
			pools[i].Nodes = append(pools[i].Nodes, n)
		}
	}
	var text []string
	o := Options{Now: now, Facts: cluster.Facts{Version: cluster.Version{Desired: "4.20.3", IsUpdating: true}}}
	for _, line := range Snapshot(cluster.Cluster{Pools: pools}, o) {
		text = append(text, line.Text)
	}
	got := strings.Join(text[slices.Index(text, "")+1:], "\n")
	assert.Regexp(t, `! pool b: blocked, .*\n    next: .*\n    the same: pool a: all nodes have the target, .*\n    the same: c .*, c .*, c .*, d .*, d .*, d .*\n\n~ pool a: paused; left .* 4.20.3\n\n~ pool d: paused, .*: 3 nodes waiting; left .* 4.20.3$`, got)
	for _, p := range pools {
		for i := range p.Nodes {
			p.Nodes[i].Unavailable = []progress.Unavailable{{Reason: progress.Cordoned}}
		}
	}
	for _, line := range Snapshot(cluster.Cluster{Pools: pools}, o) {
		assert.NotContains(t, line.Text, "the same: pool", "each pool has the commands that uncordon its nodes")
	}
}

// On a terminal, the table of nodes has the rows that are left, but at least two. Elsewhere, it has at most 20.
func TestTheTableOfNodesFitsTheScreen(t *testing.T) {
	p := cluster.Pool{Nodes: slices.Repeat([]cluster.Node{{State: cluster.Updating}}, 25)}
	for _, tc := range []struct{ height, room, rows int }{{0, 0, 20}, {40, 25, 22}, {40, 1, 2}, {40, 30, 25}} {
		ls := nodeRows([]cluster.Pool{p}, Options{Height: tc.height}, tc.room)
		const others = 2 // the titles and an empty line
		assert.Len(t, ls, others+tc.rows+min(1, 25-tc.rows), "%+v", tc)
	}
	p.Updating = 25
	screen := Snapshot(cluster.Cluster{Pools: []cluster.Pool{p}}, Options{Height: 25, Width: 80})
	assert.Len(t, screen, 25)
	assert.NotContains(t, screen[len(screen)-1].Text, "more lines")
}

// An unavailable node has an entry of its own, unless an entry of its pool names it. A reboot needs a moment, and nothing
// waits for a cordoned node of a paused pool.
func TestAnUnavailableNodeHasAnEntryUnlessItsPoolNamesIt(t *testing.T) {
	for name, test := range map[string]struct {
		pool   cluster.Pool
		state  cluster.State
		reason progress.UnavailableReason
		ago    time.Duration
		want   bool
	}{
		"done":                                  {cluster.Pool{}, cluster.Done, progress.NotReady, 3 * time.Minute, true},
		"done, cordoned":                        {cluster.Pool{}, cluster.Done, progress.Cordoned, 3 * time.Minute, true},
		"done, for a moment":                    {cluster.Pool{Counts: cluster.Counts{Updating: 1}}, cluster.Done, progress.NotReady, time.Minute, false},
		"done for a moment":                     {cluster.Pool{}, cluster.Done, progress.NotReady, 6 * time.Minute, false},
		"done, the pool is full":                {cluster.Pool{Full: true}, cluster.Done, progress.NotReady, 3 * time.Minute, false},
		"waiting, paused, cordoned":             {cluster.Pool{Paused: true, Counts: cluster.Counts{Updating: 1}}, cluster.Waiting, progress.Cordoned, 3 * time.Minute, false},
		"waiting, cordoned, nothing is updated": {cluster.Pool{}, cluster.Waiting, progress.Cordoned, 3 * time.Minute, false},
		"waiting, another node is updated":      {cluster.Pool{Counts: cluster.Counts{Updating: 1}}, cluster.Waiting, progress.Cordoned, time.Minute, true},
		"waiting, stalled":                      {cluster.Pool{Stalled: true}, cluster.Waiting, progress.NotReady, time.Minute, true},
	} {
		n := cluster.Node{State: test.state}
		o := Options{Now: time.Date(2026, 3, 4, 14, 0, 0, 0, time.UTC)}
		n.Completed = o.Now.Add(-5 * time.Minute)
		if name == "done for a moment" {
			n.Completed = o.Now.Add(-time.Minute)
		}
		n.Unavailable = []progress.Unavailable{{Reason: test.reason, Since: o.Now.Add(-test.ago)}}
		assert.Equal(t, test.want, isOutage(test.pool, n, o), name)
	}
}

// That a node takes two places matters only if it blocks its pool.
func TestTwoPlacesAreSaidOnlyOfABlockedPool(t *testing.T) {
	n := cluster.Node{State: cluster.Stuck}
	n.Degraded, n.Desired.Config, n.Current.Config = true, "b", "a"
	n.Unavailable = []progress.Unavailable{{Reason: progress.NotReady}}
	pool := cluster.Pool{Target: n.Desired, MaxUnavailable: 2, Unavailable: 1, Nodes: []cluster.Node{n}}
	for _, pool.Blocked = range []bool{true, false} {
		problem := Problem{}
		problem.addUnavailable(pool, Options{})
		assert.Equal(t, pool.Blocked, strings.Contains(problem.What, "takes 2 places"))
	}
}
