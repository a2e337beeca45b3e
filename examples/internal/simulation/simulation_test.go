package simulation

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// rollOut runs a cluster through a rollout, and returns its final state and the error of the
// rollout.
func rollOut(t *testing.T, options Options) (*Cluster, State, error) {
	t.Helper()
	c, err := New(t.Context(), options)
	require.NoError(t, err)
	var failure error
	var end State
	require.NoError(t, c.Run(t.Context(), c.Controllers, func(ctx context.Context) error {
		if _, err := c.WaitForStatus(ctx); err != nil {
			return err
		}
		failure = c.Rollout(ctx)
		end, err = c.WaitForStatus(ctx)
		return err
	}))
	return c, end, failure
}

func TestRolloutUpdatesEveryNode(t *testing.T) {
	c, end, err := rollOut(t, Options{Nodes: 13, Step: time.Millisecond, Jitter: 1})
	require.NoError(t, err)

	assert.Len(t, end.Pools, 3)
	for _, p := range end.Pools {
		assert.Equal(t, rendered(p.Name, 2), p.Status.Configuration.Name)
		assert.EqualValues(t, sizes(13)[p.Name], p.Status.ReadyMachineCount, p.Name)
	}
	for poolName, nodes := range end.Nodes {
		assert.Len(t, nodes, sizes(13)[poolName])
		for _, node := range nodes {
			assert.Equal(t, rendered(poolName, 2), current(node))
			assert.False(t, node.Spec.Unschedulable)
			mcn := end.MachineConfigNodes[node.Name]
			require.NotNil(t, mcn)
			assert.Equal(t, poolName, mcn.Spec.Pool.Name)
			assert.Equal(t, rendered(poolName, 2), mcn.Status.ConfigVersion.Current)
			assert.True(t, meta.IsStatusConditionTrue(mcn.Status.Conditions, string(phases.Updated)))
			assert.Equal(t, node.UID, mcn.OwnerReferences[0].UID)
		}
	}

	outages := c.Outages()
	require.Len(t, outages, 3)
	assert.Equal(t, Outage{Pool: pool.Master, Unavailable: 1, Nodes: 3}, outages[0])
	assert.Equal(t, Outage{Pool: infra, Unavailable: 1, Nodes: 2}, outages[1])
	assert.Equal(t, 8, outages[2].Nodes)
	assert.LessOrEqual(t, outages[2].Unavailable, 2, "a quarter of 8")
	assert.Positive(t, outages[2].Unavailable)
}

// TestFieldManagers shows that the controllers write the specs of nodes and the status of pools.
func TestFieldManagers(t *testing.T) {
	c, err := New(t.Context(), Options{Nodes: 4})
	require.NoError(t, err)
	managers := func(object metav1.Object) (names []string) {
		for _, f := range object.GetManagedFields() {
			names = append(names, f.Manager)
		}
		return names
	}
	require.NoError(t, c.Run(t.Context(), c.Controllers, func(ctx context.Context) error {
		state, err := c.WaitForStatus(ctx)
		require.Len(t, state.MachineConfigNodes, 4)
		for _, mcn := range state.MachineConfigNodes {
			assert.Contains(t, managers(mcn), rollout.DefaultFieldManager)
		}
		for _, p := range state.Pools {
			assert.Contains(t, managers(p), pool.DefaultFieldManager)
		}
		return err
	}))
}

func TestNodeThatFails(t *testing.T) {
	c, end, err := rollOut(t, Options{Nodes: 6, FailNode: "master-1"})
	var blocked *BlockedError
	require.ErrorAs(t, err, &blocked)
	assert.EqualError(t, err, "pool master is blocked, 1 of 3 nodes are updated: Node master-1 upgrade failure. Drained: simulated failure of --fail-node")
	assert.Equal(t, 1, c.Outages()[0].Unavailable)
	assert.Equal(t, rendered(infra, 1), current(end.Nodes[infra][0]), "the rollout of the next pool does not start")
	degraded := conditions.StatusOf(end.MachineConfigNodes["master-1"].Status.Conditions, phases.NodeDegraded)
	assert.Equal(t, metav1.ConditionTrue, degraded)
}

// TestNodesThatFail distinguishes a pool that is blocked from one whose other nodes are all updated.
func TestNodesThatFail(t *testing.T) {
	e := BlockedError{Pool: "worker", Causes: []string{"a", "b"}, Updated: 1, Nodes: 4, MaxUnavailable: 2}
	assert.EqualError(t, &e, "pool worker is blocked, 1 of 4 nodes are updated: a, b")
	e.MaxUnavailable = 3
	assert.EqualError(t, &e, "pool worker cannot finish, 1 of 4 nodes are updated: a, b")
}

func TestClusterOfAnySize(t *testing.T) {
	for nodes := 1; nodes <= MaxNodes; nodes++ {
		s := sizes(nodes)
		assert.Equal(t, nodes, s[pool.Master]+s[infra]+s[pool.Worker])
		assert.Len(t, NodeNames(nodes), nodes)
	}
	c, _, err := rollOut(t, Options{Nodes: 1})
	require.NoError(t, err)
	assert.Len(t, c.Outages(), 1, "pools without nodes have no outages")
}

func TestInvalidOptions(t *testing.T) {
	for want, options := range map[string]Options{
		"--simulate 0: use from 1 to 200 nodes":          {},
		"--simulate 201: use from 1 to 200 nodes":        {Nodes: 201},
		"--step -1s is negative":                         {Nodes: 1, Step: -time.Second},
		"--jitter 1.5: use from 0 to 1":                  {Nodes: 1, Jitter: 1.5},
		"--speed -1: use a positive number":              {Nodes: 1, Speed: -1},
		`--fail-node "worker-0": the nodes are master-0`: {Nodes: 1, FailNode: "worker-0"},
	} {
		_, err := New(t.Context(), options)
		assert.EqualError(t, err, want)
	}
}

// TestFastClock simulates minutes in a moment: all times of the objects are minutes apart.
func TestFastClock(t *testing.T) {
	c, end, err := rollOut(t, Options{Nodes: 1, Step: time.Minute, Speed: 60_000})
	require.NoError(t, err)
	mcn := end.MachineConfigNodes["master-0"]
	updated := meta.FindStatusCondition(mcn.Status.Conditions, string(phases.Updated)).LastTransitionTime
	assert.GreaterOrEqual(t, updated.Sub(mcn.CreationTimestamp.Time), 5*time.Minute-2*time.Second, "five steps, each time cut to its second")
	for _, f := range mcn.ManagedFields {
		assert.WithinRange(t, f.Time.Time, mcn.CreationTimestamp.Time, c.Clock().Now())
	}
}
