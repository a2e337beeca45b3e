package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// play simulates the update of a cluster, and returns its rows, its state at the end, and
// the error.
func play(t *testing.T, opts options) (rows [][]string, end state, outages *outages, err error) {
	t.Helper()
	w, err := newWorld(t.Context(), opts.nodes)
	require.NoError(t, err)
	var stdout, stderr output
	err = program{stdout: &stdout, stderr: &stderr, clock: clock.RealClock{}, patience: time.Minute}.play(t.Context(), opts, w)
	assert.Empty(t, stderr.String())
	end, lookErr := w.look(t.Context())
	require.NoError(t, lookErr)
	for line := range strings.Lines(stdout.String()) {
		rows = append(rows, strings.Fields(line))
	}
	return rows, end, w.outages, err
}

func TestSimulationUpdatesEveryNode(t *testing.T) {
	rows, end, _, err := play(t, options{nodes: 6, step: time.Millisecond})
	require.NoError(t, err)

	for _, p := range end.pools {
		assert.Equal(t, rendered(p.Name, 2), p.Status.Configuration.Name)
		assert.EqualValues(t, sizes(6)[p.Name], p.Status.ReadyMachineCount, p.Name)
		assert.Equal(t, statusOf(p, end.nodes[p.Name], end), p.Status, "as the nodes are")
	}
	for poolName, nodes := range end.nodes {
		assert.Len(t, nodes, sizes(6)[poolName])
		for _, node := range nodes {
			assert.Equal(t, rendered(poolName, 2), current(node))
			assert.False(t, node.Spec.Unschedulable)
			mcn := end.mcns[node.Name]
			require.NotNil(t, mcn)
			assert.Equal(t, poolName, mcn.Spec.Pool.Name)
			assert.Equal(t, rendered(poolName, 2), mcn.Status.ConfigVersion.Current)
			assert.True(t, meta.IsStatusConditionTrue(mcn.Status.Conditions, string(phases.Updated)))
			assert.Equal(t, node.UID, mcn.OwnerReferences[0].UID)
		}
	}
	last := strings.Join(rows[len(rows)-1], " ")
	assert.Regexp(t, `^All nodes \(6\) updated to rendered-\*-2 in \S+\. Unavailable at a time, at most: master 1 of 3, infra 1 of 1, worker 1 of 2\.$`, last)
}

// TestSimulationRunsTheControllers makes sure that it is the operator who writes the specs
// and the pools' status, and the daemons the status of the nodes.
func TestSimulationRunsTheControllers(t *testing.T) {
	_, end, _, err := play(t, options{nodes: 4, step: time.Millisecond})
	require.NoError(t, err)
	var managers []string
	for _, mcn := range end.mcns {
		for _, f := range mcn.ManagedFields {
			managers = append(managers, f.Manager)
		}
	}
	assert.Contains(t, managers, rollout.DefaultFieldManager)
	for _, p := range end.pools {
		var managers []string
		for _, f := range p.ManagedFields {
			managers = append(managers, f.Manager)
		}
		assert.Contains(t, managers, pool.DefaultFieldManager)
	}
}

func TestSimulationKeepsToMaxUnavailable(t *testing.T) {
	_, _, outages, err := play(t, options{nodes: 16, step: time.Millisecond})
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"master": 3, "infra": 3, "worker": 10}, sizes(16))
	assert.Equal(t, 1, outages.worst(pool.Master))
	assert.Equal(t, 1, outages.worst(infra))
	assert.LessOrEqual(t, outages.worst(pool.Worker), 2, "a quarter of 10")
}

func TestSimulationGoesPoolByPool(t *testing.T) {
	rows, _, _, err := play(t, options{nodes: 6, step: time.Millisecond})
	require.NoError(t, err)
	assert.Equal(t, []string{"NAME", "CONFIG", "UPDATED", "UPDATING", "DEGRADED",
		"MACHINECOUNT", "READYMACHINECOUNT", "UPDATEDMACHINECOUNT", "DEGRADEDMACHINECOUNT", "AGE"}, rows[0])

	var finished []string
	for _, row := range rows {
		if len(row) > 2 && row[1] == rendered(row[0], 2) {
			assert.Equal(t, "True", row[2])
			finished = append(finished, row[0])
		}
	}
	assert.Equal(t, poolNames, finished)
}

func TestSimulatedNodeThatFails(t *testing.T) {
	rows, end, outages, err := play(t, options{nodes: 6, step: time.Millisecond, failNode: "master-1"})
	var degraded *degradedError
	require.ErrorAs(t, err, &degraded)
	assert.EqualError(t, err, "pool master stopped, 1 of 3 nodes are updated: Node master-1 upgrade failure. Drained: told to fail by --fail-node")

	var last []string
	for _, row := range rows {
		if row[0] == pool.Master {
			last = row
		}
	}
	assert.Equal(t, []string{"master", "rendered-master-1", "False", "True", "True", "3", "1", "1", "1"}, last[:9])
	assert.Equal(t, 1, outages.worst(pool.Master))
	assert.Equal(t, rendered(infra, 1), current(end.nodes[infra][0]), "the next pool was not begun")
}

func TestSimulatedClusterOfAnySize(t *testing.T) {
	for nodes := 1; nodes <= maxNodes; nodes++ {
		s := sizes(nodes)
		assert.Equal(t, nodes, s[pool.Master]+s[infra]+s[pool.Worker])
		assert.Len(t, nodeNames(nodes), nodes)
	}
	rows, _, _, err := play(t, options{nodes: 1})
	require.NoError(t, err)
	assert.Contains(t, rows[len(rows)-1], "1", "%v", rows)
}

func TestOutagesCountNodesOnce(t *testing.T) {
	o := newOutages()
	node := func(name string, unschedulable bool) *corev1.Node {
		n := newNode(name, pool.Worker)
		n.Spec.Unschedulable = unschedulable
		return n
	}
	o.see(node("worker-0", true))
	o.see(node("worker-0", true))
	assert.Equal(t, 1, o.worst(pool.Worker))
	o.see(node("worker-0", false))
	o.see(node("worker-1", true))
	assert.Equal(t, 1, o.worst(pool.Worker))
	o.see(node("worker-0", true))
	assert.Equal(t, 2, o.worst(pool.Worker))
	assert.Zero(t, o.worst(pool.Master))
}
