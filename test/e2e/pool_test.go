package e2e

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// poolRow waits for the row of worker in `kubectl get machineconfigpools`, without NAME and AGE.
func (f *fleet) poolRow(want string) {
	f.t.Helper()
	want = strings.NewReplacer("old", oldConfig, "new", newConfig).Replace(want)
	row := ""
	eventually(f.t, func() bool {
		out, err := f.cluster.Kubectl(f.t.Context(), "get", "machineconfigpools", "worker", "--no-headers")
		require.NoError(f.t, err)
		if cells := strings.Fields(out); len(cells) > 2 {
			row = strings.Join(cells[1:len(cells)-1], " ")
		}
		return row == want
	}, "want %s\n got %s", want, &row)
}

// TestRowsOfAPool: the rows that an administrator watches during an update of two nodes.
func TestRowsOfAPool(t *testing.T) {
	f := newFleet(t)
	nodes := []*testNode{f.node("worker-0", "worker", oldConfig), f.node("worker-1", "worker", oldConfig)}
	for _, w := range nodes {
		w.reportUpdated()
	}
	c := f.runPool()
	// CONFIG UPDATED UPDATING DEGRADED MACHINECOUNT READYMACHINECOUNT UPDATEDMACHINECOUNT
	// DEGRADEDMACHINECOUNT
	f.poolRow("old True False False 2 2 2 0")
	f.patchPool("worker", `{"spec":{"configuration":{"name":"`+newConfig+`"},"paused":true}}`)
	f.poolRow("old False False False 2 0 0 0")
	f.patchPool("worker", `{"spec":{"paused":false}}`)
	f.poolRow("old False True False 2 0 0 0")
	first, _ := nodes[0].monitor("worker")
	first.ReportDegraded(t.Context(), errors.New("disk full"))
	f.poolRow("old False True True 2 0 0 1")
	first.ReportDegraded(t.Context(), nil)
	f.change("worker-0", "desiredConfig="+newConfig)
	nodes[0].rebootUpdate(first)
	f.change("worker-0", "currentConfig="+newConfig)
	f.poolRow("old False True False 2 1 1 0")
	f.patchNode("worker-0", `{"spec":{"unschedulable":true}}`)
	f.poolRow("old False True False 2 0 1 0")
	second, _ := nodes[1].monitor("worker")
	f.change("worker-1", "desiredConfig="+newConfig)
	nodes[1].rebootUpdate(second)
	f.change("worker-1", "currentConfig="+newConfig)
	f.poolRow("old False False False 2 1 2 0") // as in machine-config-operator, a node that is cordoned holds back the release
	f.patchNode("worker-0", `{"spec":{"unschedulable":false}}`)
	f.poolRow("new True False False 2 2 2 0")
	c.stop()
	t.Logf("%s", c.requests)
	assert.Zero(t, c.requests.answered(http.StatusConflict), "no other process writes")
	assert.Equal(t, c.requests.all(), c.requests.of("status"), "no reads")
}

// hasTrue reports whether a condition of a pool is True, with a message that contains a text.
func hasTrue(conditionType mcfgv1.MachineConfigPoolConditionType, text string) func(*mcfgv1.MachineConfigPool) bool {
	return func(p *mcfgv1.MachineConfigPool) bool {
		for _, c := range p.Status.Conditions {
			if c.Type == conditionType {
				return c.Status == corev1.ConditionTrue && strings.Contains(c.Message, text)
			}
		}
		return false
	}
}
