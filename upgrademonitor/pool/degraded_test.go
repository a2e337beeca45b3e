package pool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// broken returns n degraded nodes with messages as long as the CRD allows.
func broken(n int) (nodes, mcns) {
	cause := strings.Repeat("é", 32768)
	ns, ms := make(nodes, n), make(mcns, n)
	for i := range ns {
		name := fmt.Sprintf("worker-%04d", i)
		ns[i] = newNode(name)
		ms[i] = newMCN(name, updating,
			withCondition(mcfgv1.MachineConfigNodeNodeDegraded, metav1.ConditionTrue, cause),
			withCondition(mcfgv1.MachineConfigNodePinnedImageSetsDegraded, metav1.ConditionTrue, cause))
	}
	return ns, ms
}

// TestFiveThousandBrokenNodes: the status stays far below etcd's limit of 1.5 MB.
func TestFiveThousandBrokenNodes(t *testing.T) {
	ns, ms := broken(5000)
	status := pool.Status(newPool("worker"), ns, ms, pool.Options{DegradeOnPinnedImageSets: true}, now)
	text, err := json.Marshal(status)
	require.NoError(t, err)
	assert.Less(t, len(text), 25<<10)
	assert.Equal(t, counts{5000, 0, 0, 5000, 5000}, countsOf(status))

	for _, conditionType := range []mcfgv1.MachineConfigPoolConditionType{"NodeDegraded", "PinnedImageSetsDegraded"} {
		message := condition(t, status, conditionType).Message
		assert.True(t, utf8.ValidString(message))
		assert.Regexp(t, `^5000 nodes are [a-z ]+: worker-0000: é+… \[truncated\]é+; worker-0001: é+… \[truncated\]é+; .*; and \d+ more; see oc describe machineconfignode/worker-0000$`, message)
		assert.Equal(t, 5000, strings.Count(message, ": é")+more(t, message))
	}
	summary := condition(t, status, mcfgv1.MachineConfigPoolDegraded).Message
	assert.LessOrEqual(t, len(summary), 8<<10)
	assert.Regexp(t, `^NodeDegraded: 5000 nodes are degraded: .*; and \d+ more; .*\. PinnedImageSetsDegraded: 5000 nodes are unable .*; and \d+ more; `, summary)
}

// more returns how many nodes a message omits.
func more(t *testing.T, message string) (n int) {
	t.Helper()
	_, err := fmt.Sscanf(message[strings.LastIndex(message, "; and "):], "; and %d more", &n)
	require.NoError(t, err)
	return n
}

// TestPinnedImageSets: how the pool's synchronizer counts one machine: updated, ready,
// available, unavailable.
func TestPinnedImageSets(t *testing.T) {
	type set = mcfgv1.MachineConfigNodeStatusPinnedImageSet
	sets := func(list ...set) func(*mcfgv1.MachineConfigNode) {
		return func(m *mcfgv1.MachineConfigNode) { m.Status.PinnedImageSets = list }
	}
	for _, test := range []struct {
		name string
		node *corev1.Node
		mcn  *mcfgv1.MachineConfigNode
		want [4]int64
	}{
		{"no sets", newNode("n"), newMCN("n"), [4]int64{1, 1, 1, 0}},
		{"no object", newNode("n"), newMCN("another"), [4]int64{0, 0, 1, 0}},
		{"done", newNode("n"), newMCN("n", sets(set{Name: "a", DesiredGeneration: 2, CurrentGeneration: 2})), [4]int64{1, 1, 1, 0}},
		{"one not done", newNode("n"), newMCN("n", sets(set{Name: "a", DesiredGeneration: 2, CurrentGeneration: 1}, set{Name: "b", DesiredGeneration: 2, CurrentGeneration: 2})), [4]int64{0, 0, 1, 0}},
		{"not started", newNode("n"), newMCN("n", sets(set{Name: "a"})), [4]int64{0, 0, 1, 0}},
		{"failed", newNode("n"), newMCN("n", sets(set{Name: "a", DesiredGeneration: 2, CurrentGeneration: 2, LastFailedGeneration: 1})), [4]int64{0, 0, 1, 0}},
		{"degraded", newNode("n"), newMCN("n", pinFailed), [4]int64{0, 0, 1, 0}},
		{"done, not ready", newNode("n", notReady), newMCN("n"), [4]int64{1, 0, 0, 1}},
		{"done, updating", newNode("n"), newMCN("n", updating), [4]int64{1, 0, 0, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := pool.Status(newPool("worker"), nodes{test.node}, mcns{test.mcn}, pool.Options{}, now).PoolSynchronizersStatus
			require.Len(t, list, 1)
			got := list[0]
			assert.Equal(t, mcfgv1.PinnedImageSets, got.PoolSynchronizerType)
			assert.Equal(t, int64(1), got.MachineCount)
			assert.Equal(t, test.want, [4]int64{got.UpdatedMachineCount, got.ReadyMachineCount, got.AvailableMachineCount, got.UnavailableMachineCount})
		})
	}
}
