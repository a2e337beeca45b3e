package rollout_test

import (
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfginformersv1 "github.com/openshift/client-go/machineconfiguration/informers/externalversions/machineconfiguration/v1"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// TestObjectOfAWindowsNode is deleted once: if it is created again, it is kept.
func TestObjectOfAWindowsNode(t *testing.T) {
	node := newNode("node", []string{"worker"}, "rendered-1", "rendered-1")
	node.Status.NodeInfo.OperatingSystem = "windows"
	f := newFixture(t, node)
	mcns := f.mcfg.MachineconfigurationV1().MachineConfigNodes()
	mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
	_, err := mcns.Create(t.Context(), mcn, metav1.CreateOptions{})
	require.NoError(t, err)
	f.failNext("delete machineconfignodes") // and is retried
	f.run()
	f.eventuallyRetried("node", gone)

	_, err = mcns.Create(t.Context(), mcn, metav1.CreateOptions{})
	require.NoError(t, err)
	f.waitForQueue()
	assert.NotNil(t, f.object("node"))
	f.changeObject("node", func(m *mcfgv1.MachineConfigNode) { m.Spec.Pool.Name = "worker" })
	f.waitForQueue()
	assert.NotNil(t, f.object("node"))

	f.change(func(n *corev1.Node) { n.UID = "another" })
	f.eventually("node", gone) // a different Node
}

// TestNoPools: on a cluster without pools nothing is written, until the first is created.
func TestNoPools(t *testing.T) {
	f := newFixtureWithoutPools(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"))
	f.run()
	f.change(func(n *corev1.Node) { annotate(n, "", "rendered-2") })
	f.create(newNode("other", []string{"worker"}, "rendered-1", "rendered-1"))
	f.createPool(newPool("worker"))
	f.eventually("node", hasSpec("worker", "rendered-2"))
	f.eventually("other", hasSpec("worker", "rendered-1"))
	requests := f.mcfg.Actions()
	create := slices.IndexFunc(requests, func(a clienttesting.Action) bool { return a.Matches("create", "machineconfigpools") })
	write := slices.IndexFunc(requests, func(a clienttesting.Action) bool { return a.Matches("create", "machineconfignodes") })
	assert.Less(t, create, write, "none before the pool: %v", requests)

	require.NoError(t, f.mcfg.MachineconfigurationV1().MachineConfigPools().Delete(t.Context(), "worker", metav1.DeleteOptions{}))
	f.change(func(n *corev1.Node) { annotate(n, "", "rendered-3") })
	f.createPool(newPool("master"))
	f.waitForQueue()
	f.eventually("node", hasSpec("worker", "rendered-3"))
}

// poolsRead notes that the pools were read.
type poolsRead struct {
	mcfginformersv1.MachineConfigPoolInformer
	read *atomic.Bool
}

func (p poolsRead) Lister() mcfglisters.MachineConfigPoolLister {
	p.read.Store(true)
	return p.MachineConfigPoolInformer.Lister()
}

// TestOrphanWithoutPools: the object of a deleted Node is kept, too, until the first pool is created.
func TestOrphanWithoutPools(t *testing.T) {
	f := newFixtureWithoutPools(t)
	orphan := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
	_, err := f.mcfg.MachineconfigurationV1().MachineConfigNodes().Create(t.Context(), orphan, metav1.CreateOptions{})
	require.NoError(t, err)
	var read atomic.Bool
	f.run(func(c *rollout.Config) { c.Pools = poolsRead{c.Pools, &read} })
	f.eventuallyRetried("node", func(mcn *mcfgv1.MachineConfigNode) bool { return mcn == nil || read.Load() })
	f.createPool(newPool("worker"))
	f.waitForQueue()
	require.NotNil(t, f.object("node"), "the grace period was over before there was a pool")
	f.eventuallyRetried("node", gone)
}

// TestPreconditions: each write carries the UID and resource version of the object that it was
// computed from, so that it fails if another process has written meanwhile.
func TestPreconditions(t *testing.T) {
	f := newFixture(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"))
	type metadata struct{ UID, ResourceVersion string }
	patches, deletes := make(chan metadata, 10), make(chan metav1.Preconditions, 10)
	f.mcfg.PrependReactor("patch", "machineconfignodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
		var object struct{ Metadata metadata }
		assert.NoError(t, json.Unmarshal(action.(clienttesting.PatchAction).GetPatch(), &object))
		patches <- object.Metadata
		return false, nil, nil
	})
	f.mcfg.PrependReactor("delete", "machineconfignodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
		deletes <- ptr.Deref(action.(clienttesting.DeleteActionImpl).DeleteOptions.Preconditions, metav1.Preconditions{})
		return false, nil, nil
	})
	// Each change waits for the sync of the one before: the fake clientset checks no resource
	// version, so that a write of that sync would undo the change.
	f.run()
	f.eventually("node", exists)
	f.waitForQueue()
	f.changeObject("node", func(m *mcfgv1.MachineConfigNode) {
		m.UID, m.ResourceVersion, m.Spec.Pool.Name = "u", "7", "elsewhere"
		m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "other", UID: "o"})
	})
	assert.Equal(t, metadata{"u", "7"}, receive(t, patches))
	f.waitForQueue()
	require.True(t, hasSpec("worker", "rendered-1")(f.object("node")))
	require.Len(t, f.object("node").OwnerReferences, 1)
	f.changeObject("node", func(m *mcfgv1.MachineConfigNode) {
		m.ResourceVersion, m.OwnerReferences[0].UID = "9", "uid of the previous node"
	})
	assert.Equal(t, metav1.Preconditions{UID: ptr.To(types.UID("u")), ResourceVersion: ptr.To("9")}, receive(t, deletes))
}

// receive returns what is sent next, and fails the test if nothing is.
func receive[T any](t *testing.T, sent <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-sent:
	case <-time.After(10 * time.Second):
		require.FailNow(t, "nothing was sent for 10 seconds")
	}
	return value
}

// TestOneConflictIsNoFailure: it is retried, and not logged.
func TestOneConflictIsNoFailure(t *testing.T) {
	f := newFixture(t, newNode("node", []string{"worker"}, "rendered-1", "rendered-1"))
	var failed atomic.Bool
	f.mcfg.PrependReactor("create", "machineconfignodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		if failed.Swap(true) {
			return false, nil, nil
		}
		return true, nil, apierrors.NewConflict(mcfgv1.Resource("machineconfignodes"), "node", errors.New("modified"))
	})
	f.run()
	f.eventuallyRetried("node", exists)
	f.stop()
	assert.Empty(t, f.logged())
}
