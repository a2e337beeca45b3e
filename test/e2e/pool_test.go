package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/openshift/upgrademonitor/upgrademonitor"
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
	f.poolRow("old False False False 2 1 2 0") // as in machine-config-operator, a node that is cordoned holds back the release
	f.patchNode("worker-0", `{"spec":{"unschedulable":false}}`)
	f.poolRow("new True False False 2 2 2 0")
	f.eventuallyEvent("Completed", "Pool worker has completed update to MachineConfig "+newConfig)
	f.stop()
	t.Logf("%s", f.requests)
	assert.Zero(t, f.requests.answered(http.StatusConflict), "no other process writes")
	assert.Equal(t, f.requests.all(), f.requests.of("status"), "no reads")

	f.runPool()
	assert.Zero(t, f.settled(), "a restart without changes")
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
	for _, cause := range []string{"Node worker-0 is reporting: ", fmt.Sprintf("RenderDegraded: %d", times-1)} {
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

// TestPinnedImageSetsDegradedHasOneWriter: the pinned image set controller of machine-config-operator makes the condition
// of a pool False whenever it is not False, at each change of the pool; here at once, and not after seconds. Beside it
// the status of the pool changes many times, while a node cannot pin its images.
func TestPinnedImageSetsDegradedHasOneWriter(t *testing.T) {
	f := newFleet(t)
	nodes := f.workers("worker-0")
	watch, err := f.pools().Watch(context.WithoutCancel(t.Context()), only("worker"))
	require.NoError(t, err)
	var flips, writes int
	var last corev1.ConditionStatus
	var other sync.WaitGroup
	other.Go(func() {
		for event := range watch.ResultChan() {
			p, ok := event.Object.(*mcfgv1.MachineConfigPool)
			if !ok {
				continue
			}
			is := corev1.ConditionStatus("")
			for i := range p.Status.Conditions {
				if p.Status.Conditions[i].Type == mcfgv1.MachineConfigPoolPinnedImageSetsDegraded {
					is = p.Status.Conditions[i].Status
				}
			}
			if last != "" && is != last {
				flips++
			}
			if last = is; is != corev1.ConditionFalse {
				p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{Type: mcfgv1.MachineConfigPoolPinnedImageSetsDegraded, Status: corev1.ConditionFalse})
				if _, err := f.pools().UpdateStatus(context.WithoutCancel(t.Context()), p, metav1.UpdateOptions{}); err == nil {
					writes++
				} // else the event of another write follows
			}
		}
	})
	f.runPool()
	m, _ := nodes[0].monitor("worker")
	const times = 30
	for i := range times {
		m.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "set", Generation: int64(i + 1), Err: errors.New("no such image")}}, nil)
		m.ReportDegraded(t.Context(), fmt.Errorf("failure %d", i))
		f.eventuallyPool("worker", hasTrue(mcfgv1.MachineConfigPoolNodeDegraded, fmt.Sprintf("failure %d", i)))
	}
	f.stop()
	written := f.requests.of("status") - f.requests.answered(http.StatusConflict)
	watch.Stop()
	other.Wait()
	assert.GreaterOrEqual(t, written, times)
	assert.Equal(t, []int{0, 1}, []int{flips, writes}, "of %d statuses", written)
}

// TestLayeredPool: the real MachineOSConfig and MachineOSBuild of a paused pool, as an e2e test of machine-config-operator
// follows them.
func TestLayeredPool(t *testing.T) {
	f := newFleet(t)
	f.workers("worker-0")
	f.patchPool("worker", `{"spec":{"paused":true,"configuration":{"name":"`+newConfig+`"}}}`)
	f.runPool()
	v1 := f.mcfg.MachineconfigurationV1()
	updating := func(status corev1.ConditionStatus, message string) {
		t.Helper()
		f.eventuallyPool("worker", func(p *mcfgv1.MachineConfigPool) bool {
			return slices.ContainsFunc(p.Status.Conditions, func(c mcfgv1.MachineConfigPoolCondition) bool {
				return c.Type == mcfgv1.MachineConfigPoolUpdating && c.Status == status && strings.HasPrefix(c.Message, message)
			})
		})
	}
	updating(corev1.ConditionFalse, "Pool is paused; will not update to MachineConfig "+newConfig)

	config := &mcfgv1.MachineOSConfig{ObjectMeta: metav1.ObjectMeta{Name: "worker"}, Spec: mcfgv1.MachineOSConfigSpec{
		MachineConfigPool: mcfgv1.MachineConfigPoolReference{Name: "worker"}, ImageBuilder: mcfgv1.MachineOSImageBuilder{ImageBuilderType: mcfgv1.JobBuilder},
		RenderedImagePushSecret: mcfgv1.ImageSecretObjectReference{Name: "push"}, RenderedImagePushSpec: "registry.example.com/os:latest"}}
	_, err := v1.MachineOSConfigs().Create(t.Context(), config, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, v1.MachineOSConfigs().Delete(context.WithoutCancel(t.Context()), "worker", metav1.DeleteOptions{}))
	})
	updating(corev1.ConditionTrue, "Pool is paused; waiting for a new OS image build to start (mosc: worker)")

	build := &mcfgv1.MachineOSBuild{ObjectMeta: metav1.ObjectMeta{Name: "worker-1"}, Spec: mcfgv1.MachineOSBuildSpec{
		MachineConfig: mcfgv1.MachineConfigReference{Name: newConfig}, MachineOSConfig: mcfgv1.MachineOSConfigReference{Name: "worker"}, RenderedImagePushSpec: "registry.example.com/os:latest"}}
	build, err = v1.MachineOSBuilds().Create(t.Context(), build, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, v1.MachineOSBuilds().Delete(context.WithoutCancel(t.Context()), "worker-1", metav1.DeleteOptions{}))
	})
	updating(corev1.ConditionTrue, "Pool is paused; OS image build has been created but not yet started (mosb: worker-1)")
	for _, state := range []struct {
		condition mcfgv1.BuildProgress
		status    corev1.ConditionStatus
		message   string
	}{
		{mcfgv1.MachineOSBuilding, corev1.ConditionTrue, "Pool is paused; OS image build in progress (mosb: worker-1)"},
		{mcfgv1.MachineOSBuildFailed, corev1.ConditionFalse, "Pool is paused; OS image build failed (mosb: worker-1)"},
	} {
		build.Status.Conditions = []metav1.Condition{{Type: string(state.condition), Status: metav1.ConditionTrue, Reason: "Test", LastTransitionTime: metav1.Now()}}
		build, err = v1.MachineOSBuilds().UpdateStatus(t.Context(), build, metav1.UpdateOptions{})
		require.NoError(t, err)
		updating(state.status, state.message)
	}
	f.patchPool("worker", `{"spec":{"paused":false}}`)
	updating(corev1.ConditionFalse, "Pool update stopped due to OS image build failure (mosb: worker-1)")
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

	f.runPool()
	assert.Zero(t, f.settled(), "a restart without changes")
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
