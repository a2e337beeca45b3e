package e2e

import (
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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"github.com/openshift/upgrademonitor/phases"
)

// Each role of operator.yaml grants its controller exactly what it needs, while package rollout and the example's loop of the
// pools run during updates. rollout and the daemons do not revert each other's writes of the spec.
func TestBothControllersNeedExactlyTheirRoles(t *testing.T) {
	const size, atATime = 12, 6
	f := newFleet(t)
	rollouts, pools := f.run(), f.runPool()
	nodes := make([]*testNode, size)
	histories := make([]*history, size)
	workqueue.ParallelizeUntil(t.Context(), atATime, size, func(i int) {
		nodes[i] = f.node(fmt.Sprintf("fleet-%03d", i), "worker", oldConfig)
		f.eventually(nodes[i].name, hasSpec("worker", oldConfig))
		nodes[i].reportUpdated()
		histories[i] = watchFrom(t, nodes[i])
	})
	f.patchPool("worker", `{"spec":{"configuration":{"name":"`+newConfig+`"},"maxUnavailable":"10%"}}`)
	workqueue.ParallelizeUntil(t.Context(), atATime, size, func(i int) {
		w := nodes[i]
		m, _ := w.monitor("worker")
		w.node = f.change(w.name, "desiredConfig="+newConfig) // rollout and the daemon write the spec at the same time
		for _, c := range rebootCalls {
			if c.phase == phases.Updated && c.status == done {
				w.node = f.change(w.name, "currentConfig="+newConfig)
			}
			c.make(t, m)
		}
	})
	f.eventuallyPool("worker", hasTrue(mcfgv1.MachineConfigPoolUpdated, "All nodes are updated with MachineConfig "+newConfig))
	f.eventuallyEvent("Completed", "Pool worker has completed update to MachineConfig "+newConfig)
	for _, h := range histories {
		h.check()
		var desired []string
		for _, event := range h.events {
			desired = append(desired, event.Spec.ConfigVersion.Desired)
		}
		assert.Equal(t, []string{oldConfig, newConfig}, slices.Compact(desired))
	}

	// The other permissions are needed to repeat an event, to read an object after a conflict, and to delete an
	// object without an owner.
	for range 2 {
		before := rollouts.events.all()
		f.change(nodes[0].name, "+infra", "+gpu")
		eventually(t, func() bool { return rollouts.events.all() > before })
		f.change(nodes[0].name, "-gpu")
		f.eventually(nodes[0].name, hasSpec("infra", newConfig))
		f.change(nodes[0].name, "-infra")
		f.eventually(nodes[0].name, hasSpec("worker", newConfig))
	}
	var once sync.Once
	rollouts.requests.intercept(func(request *http.Request) {
		if request.Method == http.MethodPatch && strings.HasSuffix(request.URL.Path, nodes[1].name) {
			once.Do(func() {
				_, err := f.nodes().Patch(t.Context(), nodes[1].name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`), metav1.PatchOptions{})
				assert.NoError(t, err)
			})
		}
	})
	f.change(nodes[1].name, "+infra")
	f.eventually(nodes[1].name, hasSpec("infra", newConfig))
	assert.Positive(t, rollouts.requests.answered(http.StatusConflict))
	_, err := f.nodes().Create(t.Context(), bareObject("orphan"), metav1.CreateOptions{})
	require.NoError(t, err)
	f.eventually("orphan", func(mcn *mcfgv1.MachineConfigNode) bool { return mcn == nil })

	for role, requests := range map[string]*transport{"mcn-rollout": rollouts.requests, "mcn-pool": pools.requests} {
		granted, err := f.core.RbacV1().ClusterRoles().Get(t.Context(), role, metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, permissions(granted.Rules), requests.used(), role)
		assert.Zero(t, requests.answered(http.StatusForbidden), role)
	}
	granted, err := f.core.RbacV1().Roles(metav1.NamespaceDefault).Get(t.Context(), "mcn-events", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, permissions(granted.Rules), rollouts.events.used())
	assert.Zero(t, rollouts.events.answered(http.StatusForbidden))
}

// hasTrue reports whether a condition of a pool is True, with a message that contains a text.
func hasTrue(conditionType mcfgv1.MachineConfigPoolConditionType, text string) func(*mcfgv1.MachineConfigPool) bool {
	return func(p *mcfgv1.MachineConfigPool) bool {
		return slices.ContainsFunc(p.Status.Conditions, func(c mcfgv1.MachineConfigPoolCondition) bool {
			return c.Type == conditionType && c.Status == corev1.ConditionTrue && strings.Contains(c.Message, text)
		})
	}
}
