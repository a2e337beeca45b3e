package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
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

// workers creates nodes of worker that run the old config.
func (f *fleet) workers(names ...string) (list []*testNode) {
	f.t.Helper()
	for _, name := range names {
		w := f.node(name, "worker", oldConfig)
		w.reportUpdated()
		list = append(list, w)
	}
	return list
}

// TestRowsOfAPool: the rows that an administrator watches during an update of two nodes.
func TestRowsOfAPool(t *testing.T) {
	f := newFleet(t)
	nodes := f.workers("worker-0", "worker-1")
	f.runPool()
	// CONFIG UPDATED UPDATING DEGRADED MACHINECOUNT READYMACHINECOUNT UPDATEDMACHINECOUNT DEGRADEDMACHINECOUNT
	f.poolRow("old True False False 2 2 2 0")
	f.patchPool("worker", `{"spec":{"configuration":{"name":"`+newConfig+`"},"paused":true}}`)
	f.poolRow("old False False False 2 0 0 0")
	f.patchPool("worker", `{"spec":{"paused":false}}`)
	f.poolRow("old False True False 2 0 0 0")
	f.eventuallyEvent("Updating", "Pool worker now targeting MachineConfig "+newConfig)

	first, _ := nodes[0].monitor("worker")
	first.ReportDegraded(t.Context(), errors.New("disk full"))
	f.poolRow("old False True True 2 0 0 1")
	first.ReportDegraded(t.Context(), nil)
	nodes[0].rebootUpdate(first)
	f.poolRow("old False True False 2 1 1 0")
	f.patchNode("worker-0", `{"spec":{"unschedulable":true}}`)
	f.poolRow("old False True False 2 0 1 0")

	second, _ := nodes[1].monitor("worker")
	nodes[1].rebootUpdate(second)
	f.poolRow("new True False False 2 1 2 0")
	f.patchNode("worker-0", `{"spec":{"unschedulable":false}}`)
	f.poolRow("new True False False 2 2 2 0")
	f.eventuallyEvent("Completed", "Pool worker has completed update to MachineConfig "+newConfig)
	f.stop()
	t.Logf("%s", f.requests)
	assert.Zero(t, f.requests.answered(http.StatusConflict), "no other process writes")
	assert.Equal(t, f.requests.all(), f.requests.of("status"))

	synced := f.runPool()
	<-synced
	f.patchNode("worker-1", `{"metadata":{"labels":{"another":"label"}}}`)
	<-synced // so that the first sync has ended
	f.stop()
	assert.Zero(t, f.requests.all(), "a restart without changes")
}

// TestOthersWriteAPool: another process writes its own condition of a pool again and again, while
// a node reports failures.
func TestOthersWriteAPool(t *testing.T) {
	const times = 25
	f := newFleet(t)
	nodes := f.workers("worker-0")
	f.runPool()
	m, _ := nodes[0].monitor("worker")
	for i := range times {
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			p, err := f.pools().Get(t.Context(), "worker", metav1.GetOptions{})
			require.NoError(t, err)
			p.Status.Conditions = append(withoutRender(p.Status.Conditions), mcfgv1.MachineConfigPoolCondition{
				Type: mcfgv1.MachineConfigPoolRenderDegraded, Status: corev1.ConditionTrue, Reason: "Render", Message: fmt.Sprint(i)})
			_, err = f.pools().UpdateStatus(t.Context(), p, metav1.UpdateOptions{FieldManager: "render"})
			return err
		})
		require.NoError(t, err)
		if i%2 == 0 {
			m.ReportDegraded(t.Context(), fmt.Errorf("failure %d", i))
		}
	}
	p := f.eventuallyPool("worker", hasTrue(mcfgv1.MachineConfigPoolNodeDegraded, fmt.Sprintf("failure %d", times-1)))
	f.stop()
	conflicts := f.requests.answered(http.StatusConflict)
	t.Logf("%s, %d conflicts", f.requests, conflicts)
	assert.True(t, hasTrue(mcfgv1.MachineConfigPoolRenderDegraded, fmt.Sprint(times-1))(p), "%+v", p.Status.Conditions)
	for _, cause := range []string{"NodeDegraded: ", fmt.Sprintf("RenderDegraded: %d", times-1)} {
		assert.True(t, hasTrue(mcfgv1.MachineConfigPoolDegraded, cause)(p), "%+v", p.Status.Conditions)
	}
	assert.LessOrEqual(t, conflicts, times, "no more than there were writes of others")
	assert.Zero(t, f.requests.answered(http.StatusUnprocessableEntity))
}

func withoutRender(list []mcfgv1.MachineConfigPoolCondition) (rest []mcfgv1.MachineConfigPoolCondition) {
	for _, c := range list {
		if c.Type != mcfgv1.MachineConfigPoolRenderDegraded {
			rest = append(rest, c)
		}
	}
	return rest
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

// TestPoolWithoutServers stops the servers: once they are back, the status includes what the nodes
// reported before and after the outage.
func TestPoolWithoutServers(t *testing.T) {
	f := newFleet(t)
	nodes := f.workers("worker-0")
	f.runPool()
	m, _ := nodes[0].monitor("worker")
	for name, outage := range outages {
		failure := "before it was " + name
		m.ReportDegraded(t.Context(), errors.New(failure))
		require.NoError(t, outage.begin(t.Context(), f.cluster))
		require.NoError(t, outage.end(t.Context(), f.cluster))
		f.eventuallyPool("worker", hasTrue(mcfgv1.MachineConfigPoolNodeDegraded, failure))
		m.ReportDegraded(t.Context(), nil)
		f.eventuallyPool("worker", func(p *mcfgv1.MachineConfigPool) bool { return p.Status.DegradedMachineCount == 0 })
	}
	f.stop()

	synced := f.runPool()
	<-synced
	f.stop()
	assert.Zero(t, f.requests.all(), "a restart without changes")
}

// TestPoolOfBrokenNodes: a server accepts, and returns unchanged, the status of a pool of 5,000
// degraded nodes with the longest messages.
func TestPoolOfBrokenNodes(t *testing.T) {
	f := newFleet(t)
	var nodes []*corev1.Node
	var mcns []*mcfgv1.MachineConfigNode
	for i := range 5000 {
		meta := metav1.ObjectMeta{Name: fmt.Sprintf("broken-%d", i)}
		nodes = append(nodes, &corev1.Node{ObjectMeta: meta})
		mcns = append(mcns, &mcfgv1.MachineConfigNode{ObjectMeta: meta, Status: mcfgv1.MachineConfigNodeStatus{Conditions: []metav1.Condition{
			{Type: string(mcfgv1.MachineConfigNodeNodeDegraded), Status: metav1.ConditionTrue, Message: strings.Repeat("é", 32768)},
			{Type: string(mcfgv1.MachineConfigNodePinnedImageSetsDegraded), Status: metav1.ConditionTrue, Message: strings.Repeat("x", 32768)},
		}}})
	}
	p, err := f.pools().Get(t.Context(), "worker", metav1.GetOptions{})
	require.NoError(t, err)
	p.Status = pool.Status(p, nodes, mcns, pool.Options{}, metav1.Now())
	written, err := f.pools().UpdateStatus(t.Context(), p, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, int32(5000), written.Status.DegradedMachineCount)
	again := pool.Status(written, nodes, mcns, pool.Options{}, metav1.Now())
	assert.True(t, equality.Semantic.DeepEqual(written.Status, again), "what is read is what was written")
}
