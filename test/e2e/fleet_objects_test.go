package e2e

import (
	"fmt"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"

	"github.com/openshift/upgrademonitor/phases"
)

// A pool of 300 nodes is Updated if, and only if, it is Updated by machine-config-operator's rule for Nodes: the current and
// the desired config are the target, and the state is Done. The objects do not matter: three are missing, ten daemons lose
// the permission to write before or during the update, and half of the daemons do not use this library.
func TestPoolIsUpdatedWhateverItsObjectsShow(t *testing.T) {
	const size, missing, denied = 300, 3, 10
	f := newFleet(t)
	f.runPool()
	nodes := make([]*testNode, size)
	workqueue.ParallelizeUntil(t.Context(), 8, size, func(i int) {
		nodes[i] = f.node(fmt.Sprintf("mixed-%03d", i), "worker", oldConfig)
		if i >= missing { // an old daemon has run on each node: a Monitor would go on to follow the Node
			nodes[i].resetObject(true)
			assert.NoError(t, nodes[i].theirs(nil)(t.Context(), call{phases.Updated, done, nil}))
		}
	})
	f.eventuallyPool("worker", hasTrue(mcfgv1.MachineConfigPoolUpdated, "All nodes are updated with MachineConfig "+oldConfig))
	f.patchPool("worker", `{"spec":{"configuration":{"name":"`+newConfig+`"},"maxUnavailable":"10%"}}`)

	update := func(i int) {
		w := nodes[i]
		w.node = f.change(w.name, "desiredConfig="+newConfig, "state=Working")
		by := func(int, call) {}
		switch {
		case i < missing:
		case i < missing+denied: // from the start, or while the node drains
			theirs, allowed := w.theirs(nil), i%2*4
			admin := w.config
			w.config = rest.CopyConfig(admin)
			w.config.Impersonate = rest.ImpersonationConfig{UserName: "nobody"}
			m, _ := w.monitor("worker")
			w.config = admin
			by = func(at int, c call) {
				if at < allowed {
					assert.NoError(t, theirs(t.Context(), c))
				} else {
					c.queue(t, m)
				}
			}
		case i%2 == 0:
			theirs := w.theirs(nil)
			by = func(_ int, c call) { assert.NoError(t, theirs(t.Context(), c)) }
		default:
			m, _ := w.monitor("worker")
			by = func(_ int, c call) { c.make(t, m) }
		}
		for at, c := range rebootCalls {
			if c.phase == phases.Updated && c.status == done {
				w.node = f.change(w.name, "currentConfig="+newConfig, "state=Done")
			}
			by(at, c)
		}
	}
	workqueue.ParallelizeUntil(t.Context(), 8, size-1, update)
	p := f.eventuallyPool("worker", func(p *mcfgv1.MachineConfigPool) bool { return p.Status.UpdatedMachineCount == size-1 })
	assert.False(t, hasTrue(mcfgv1.MachineConfigPoolUpdated, "")(p), "the pool is not Updated while one node runs the old config")
	update(size - 1)
	p = f.eventuallyPool("worker", hasTrue(mcfgv1.MachineConfigPoolUpdated, "All nodes are updated with MachineConfig "+newConfig))
	assert.Equal(t, [5]int32{size, size, size, 0, 0}, [5]int32{p.Status.MachineCount, p.Status.UpdatedMachineCount,
		p.Status.ReadyMachineCount, p.Status.UnavailableMachineCount, p.Status.DegradedMachineCount})

	list, err := f.nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, list.Items, size-missing)
	old, drains := 0, 0
	for _, mcn := range list.Items {
		if mcn.Status.ConfigVersion.Current != newConfig {
			old++
		}
		if c, _ := statusOf(mcn.Status.Conditions, string(phases.Drained)); c.Status == running {
			drains++
		}
	}
	assert.Equal(t, []int{denied, denied / 2}, []int{old, drains}, "the numbers of objects that still show the old config, and a running drain")
}
