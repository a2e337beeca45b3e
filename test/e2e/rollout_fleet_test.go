package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	poolloop "github.com/openshift/upgrademonitor/examples/operator/pools"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// TestBothControllersWithTheirRoles updates 300 nodes, a tenth of them at a time: rollout in the operator's Pod, and the
// example's loop of the pools' statuses in the controller. Each role of operator.yaml is all that its controller needs,
// and no more.
func TestBothControllersWithTheirRoles(t *testing.T) {
	const size, atATime, interval = 300, 30, 5 * time.Second
	f := newFleet(t)
	recorder, events := f.newRecorder()
	f.runAs(inTheOperatorsPod(f.cluster), func(c *rollout.Config) { c.Recorder = recorder })
	rollouts := f.requests
	began := time.Now()
	var node func(name string) *corev1.Node // as the controller of the pools sees it
	var object func(name string) *mcfgv1.MachineConfigNode
	f.runPool(func(l *poolloop.Loop, p parts) {
		l.Interval = interval // the default
		node = func(name string) *corev1.Node { n, _ := p.nodes.Lister().Get(name); return n }
		object = func(name string) *mcfgv1.MachineConfigNode {
			n, _ := p.objects.MachineConfigNodes().Lister().Get(name)
			return n
		}
	})
	pools := f.requests
	watch, err := f.pools().Watch(context.WithoutCancel(t.Context()), only("worker"))
	require.NoError(t, err)
	t.Cleanup(watch.Stop)

	nodes := make([]*testNode, size)
	workqueue.ParallelizeUntil(t.Context(), atATime, size, func(i int) {
		w := f.node(fmt.Sprintf("fleet-%03d", i), "worker", oldConfig)
		eventually(t, func() bool { return hasSpec("worker", oldConfig)(object(w.name)) }, w.name)
		w.reportUpdated()
		nodes[i] = w
	})
	f.eventuallyPool("worker", func(p *mcfgv1.MachineConfigPool) bool { return p.Status.UpdatedMachineCount == size })
	f.patchPool("worker", `{"spec":{"configuration":{"name":"`+newConfig+`"},"maxUnavailable":"10%"}}`)
	workqueue.ParallelizeUntil(t.Context(), atATime, size, func(i int) {
		w := nodes[i]
		m, _ := w.monitor("worker")
		w.node = f.patch(w.name, "annotations.desiredConfig="+newConfig)
		eventually(t, func() bool { return hasSpec("worker", newConfig)(object(w.name)) }, w.name)
		call{phases.Updated, no, nil}.make(t, m)
		call{phases.UpdatePrepared, done, nil}.make(t, m)
		f.patchNode(w.name, `{"spec":{"unschedulable":true}}`)
		call{phases.Drained, running, nil}.make(t, m)
		if i == 0 { // the others may be faster than the interval
			f.eventuallyPool("worker", hasTrue(mcfgv1.MachineConfigPoolUpdating, "All nodes are updating to MachineConfig "+newConfig))
		}
		call{phases.RebootedNode, done, nil}.make(t, m)
		f.patchNode(w.name, `{"spec":{"unschedulable":false}}`)
		w.node = f.patch(w.name, "annotations.currentConfig="+newConfig)
		call{phases.Updated, done, nil}.make(t, m)
		eventually(t, func() bool {
			n := progress.FromMachineConfigNode(object(w.name))
			return n.Current.Config == newConfig && !n.InUpdate() && !node(w.name).Spec.Unschedulable
		}, w.name)
	})
	ended := time.Now()
	last := f.eventuallyPool("worker", hasTrue(mcfgv1.MachineConfigPoolUpdated, "All nodes are updated with MachineConfig "+newConfig))
	lag := time.Since(ended)
	limit := int(time.Since(began)/interval) + 1 + 1 // soon after a conflict with the change of the spec

	assert.Equal(t, []int32{size, size, size, 0, 0}, []int32{last.Status.MachineCount, last.Status.UpdatedMachineCount,
		last.Status.ReadyMachineCount, last.Status.UnavailableMachineCount, last.Status.DegradedMachineCount})
	for _, c := range last.Status.Conditions {
		assert.Equal(t, c.Type == mcfgv1.MachineConfigPoolUpdated, c.Status == corev1.ConditionTrue, "%+v", c)
	}
	writes, most := -2, int32(0) // the first event is the pool before, another one that change
	for version := ""; version != last.ResourceVersion; {
		p, ok := (<-watch.ResultChan()).Object.(*mcfgv1.MachineConfigPool)
		require.True(t, ok)
		version, most = p.ResourceVersion, max(most, p.Status.UnavailableMachineCount)
		writes++
	}
	t.Logf("%d statuses, at most %d; unavailable: at most %d; lag %s. rollout: %s. pool: %s", writes, limit, most, lag, rollouts, pools)
	assert.LessOrEqual(t, lag, 6*time.Second)
	assert.LessOrEqual(t, writes, limit)
	assert.Positive(t, most)
	assert.LessOrEqual(t, most, int32(atATime))
	f.eventuallyEvent("Updating", "Pool worker now targeting MachineConfig "+newConfig)
	f.eventuallyEvent("Completed", "Pool worker has completed update to MachineConfig "+newConfig)

	// What remains of the roles: a conflict that is there again, a write before rollout's, and an object that no Node owns.
	for range 2 {
		before := events.all()
		f.patch(nodes[0].name, "labels.infra=", "labels.gpu=")
		eventually(t, func() bool { return events.all() > before })
		f.patch(nodes[0].name, "labels.gpu=-")
		f.eventually(nodes[0].name, hasSpec("infra", newConfig))
	}
	f.requests = rollouts
	f.before(http.MethodPatch, nodes[1].name, func() {
		_, err := f.nodes().Patch(t.Context(), nodes[1].name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`), metav1.PatchOptions{})
		assert.NoError(t, err)
	})
	f.patch(nodes[1].name, "labels.infra=")
	f.eventually(nodes[1].name, hasSpec("infra", newConfig))
	orphan := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "orphan"}, Spec: f.object(nodes[0].name).Spec}
	orphan.Spec.Node.Name = orphan.Name
	_, err = f.nodes().Create(t.Context(), orphan, metav1.CreateOptions{})
	require.NoError(t, err)
	f.eventually("orphan", func(mcn *mcfgv1.MachineConfigNode) bool { return mcn == nil })
	for role, requests := range map[string]*transport{"mcn-rollout": rollouts, "mcn-pool": pools} {
		granted, err := f.core.RbacV1().ClusterRoles().Get(t.Context(), role, metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, permissions(granted.Rules), requests.used(), role)
		assert.Zero(t, requests.answered(http.StatusForbidden), role)
	}
	granted, err := f.core.RbacV1().Roles(metav1.NamespaceDefault).Get(t.Context(), "mcn-events", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, permissions(granted.Rules), events.used())
	assert.Zero(t, events.answered(http.StatusForbidden))
}
