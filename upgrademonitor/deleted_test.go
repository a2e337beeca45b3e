package upgrademonitor_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

func (f *fixture) delete(t *testing.T) {
	t.Helper()
	require.NoError(t, f.clientset.MachineconfigurationV1().MachineConfigNodes().Delete(t.Context(), nodeName, metav1.DeleteOptions{}))
	f.clientset.ClearActions()
}

// Without a Lister, a repeat causes one read per CheckInterval.
func TestRepeatIsCheckedOnceInAWhile(t *testing.T) {
	realClock := clocktesting.NewFakePassiveClock(time.Now())
	f := newFixture(t, func(c *upgrademonitor.Config) {
		c.CheckInterval = time.Minute
		upgrademonitor.SetRealClock(c, realClock)
	})
	f.reportUpdated(t)
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	f.report(t, phases.Updated, metav1.ConditionTrue)
	require.Empty(t, f.requests())

	realClock.SetTime(realClock.Now().Add(time.Minute))
	f.report(t, phases.Updated, metav1.ConditionTrue)
	assert.Equal(t, []string{"get"}, f.requests(), "the one request that a repeat may cost")
	f.report(t, phases.Updated, metav1.ConditionTrue)
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.Empty(t, f.requests())

	before := f.condition(t, phases.Updated)
	f.delete(t)
	realClock.SetTime(realClock.Now().Add(time.Minute))
	f.clock.SetTime(start.Add(time.Hour))
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.Equal(t, before, f.condition(t, phases.Updated), "the object exists again, with the last known status")
}

// withLister has an indexer as the cache of the Lister. The real clock stands still.
func withLister(indexer cache.Indexer) func(*upgrademonitor.Config) {
	return func(c *upgrademonitor.Config) {
		c.Lister = mcfglisters.NewMachineConfigNodeLister(indexer)
		upgrademonitor.SetRealClock(c, clocktesting.NewFakePassiveClock(time.Now()))
	}
}

func (f *fixture) show(t *testing.T, indexer cache.Indexer, version string) {
	t.Helper()
	object := f.object(t).DeepCopy()
	object.ResourceVersion = version
	require.NoError(t, indexer.Update(object))
}

// With a Lister that has synced, the next call after a deletion writes the whole object.
func TestObjectThatIsGoneFromTheLister(t *testing.T) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	f := newFixture(t, withLister(indexer))
	f.reportUpdated(t)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	require.Empty(t, f.requests(), "a Lister that has not returned the object yet proves nothing")
	f.show(t, indexer, "1")
	f.report(t, phases.Updated, metav1.ConditionTrue)
	require.Empty(t, f.requests())

	before := f.object(t).Status
	f.delete(t)
	require.NoError(t, indexer.Replace(nil, "2"))
	f.report(t, phases.Updated, metav1.ConditionTrue)
	assert.Equal(t, []string{"get", "create", "patch/status"}, f.requests())
	assert.Equal(t, before, f.object(t).Status)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	assert.Empty(t, f.requests(), "the Lister may be behind")
}

// Run does so by itself if the daemon has nothing to report.
func TestRunCreatesADeletedObjectAgain(t *testing.T) {
	upgrademonitor.SetListerInterval(t, time.Millisecond)
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	f := newFixture(t, withLister(indexer))
	f.reportUpdated(t)
	before := f.object(t).Status
	f.show(t, indexer, "1")
	f.report(t, phases.Updated, metav1.ConditionTrue)

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- f.Run(ctx) }()
	f.clientset.ClearActions()
	written := make(chan struct{}, 10)
	f.reactor("patch", func() (bool, error) { written <- struct{}{}; return false, nil })
	require.NoError(t, f.clientset.Tracker().Delete(schema.GroupVersionResource{Group: resource.Group, Version: "v1", Resource: resource.Resource}, "", nodeName))
	require.NoError(t, indexer.Replace(nil, "2"))
	receive(t, written, "Run has written")
	cancel()
	require.NoError(t, receive(t, ended, "Run has ended"))
	assert.Equal(t, before, f.object(t).Status)
}

// The object of a Node that was deleted, and created again, starts without a status.
func TestStatusOfAnotherNodeIsNotRestored(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
	f.delete(t)
	f.node = f.node.DeepCopy()
	f.node.UID = "another"
	f.failing("patch", notFound)
	f.report(t, phases.Resumed, metav1.ConditionTrue)
	assert.Equal(t, metav1.ConditionFalse, f.condition(t, phases.NodeDegraded).Status)
}

// A policy that allows one transition per write denies restoring a status: the object starts again.
func TestStatusThatMayNotBeRestored(t *testing.T) {
	f := newFixture(t)
	f.reportUpdated(t)
	f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
	f.delete(t)
	denied := 0
	f.clientset.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if denied == 0 {
			denied++
			return true, nil, notFound
		}
		if patch := string(a.(clienttesting.PatchAction).GetPatch()); denied < 9 && strings.Contains(patch, `"type":"NodeDegraded","status":"True"`) {
			denied++
			return true, nil, apierrors.NewForbidden(resource, nodeName, errors.New("one transition per write"))
		}
		return false, nil, nil
	})
	f.report(t, phases.Resumed, metav1.ConditionTrue)
	assert.Equal(t, 2, denied, "once")
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Resumed).Status)
	assert.Equal(t, metav1.ConditionFalse, f.condition(t, phases.NodeDegraded).Status)
}

// The deleted object is created with another spec by another process: the spec call restores the status, too.
func TestSpecCallRestoresTheStatus(t *testing.T) {
	realClock := clocktesting.NewFakePassiveClock(time.Now())
	f := newFixture(t, func(c *upgrademonitor.Config) {
		c.CheckInterval = time.Minute
		upgrademonitor.SetRealClock(c, realClock)
	})
	f.reportUpdated(t)
	before := f.object(t)
	f.delete(t)
	other := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: nodeName}, Spec: before.Spec}
	other.Spec.Pool.Name = "infra"
	_, err := f.clientset.MachineconfigurationV1().MachineConfigNodes().Create(t.Context(), other, metav1.CreateOptions{})
	require.NoError(t, err)
	f.clientset.ClearActions()

	realClock.SetTime(realClock.Now().Add(time.Minute))
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.Equal(t, []string{"get", "patch/status", "patch"}, f.requests())
	after := f.object(t)
	assert.Equal(t, "worker", after.Spec.Pool.Name)
	assert.Equal(t, before.Status.Conditions, after.Status.Conditions)
}

// Run retries if the status could not be restored at once.
func TestRunRestoresTheStatusInTheEnd(t *testing.T) {
	upgrademonitor.SetListerInterval(t, time.Millisecond)
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	f := newFixture(t, withLister(indexer))
	f.reportUpdated(t)
	before := f.object(t).Status
	f.show(t, indexer, "1")
	f.report(t, phases.Updated, metav1.ConditionTrue)
	f.delete(t)
	require.NoError(t, indexer.Replace(nil, "2"))
	f.failing("patch", errDown, errDown)
	written := make(chan struct{}, 10)
	f.reactor("patch", func() (bool, error) { written <- struct{}{}; return false, nil })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- f.Run(ctx) }()
	for range 3 {
		receive(t, written, "Run has written")
	}
	cancel()
	require.NoError(t, receive(t, ended, "Run has ended"))
	require.NoError(t, f.Flush(t.Context()))
	assert.Equal(t, before, f.object(t).Status)
}

// A Lister that has never shown the object is not believed: one read tells, and another one per
// CheckInterval.
func TestObjectThatTheListerNeverShowed(t *testing.T) {
	realClock := clocktesting.NewFakePassiveClock(time.Now())
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	f := newFixture(t, withLister(indexer), func(c *upgrademonitor.Config) {
		c.CheckInterval = time.Minute
		upgrademonitor.SetRealClock(c, realClock)
	})
	f.reportUpdated(t)
	repeat := func(after time.Duration) []string {
		realClock.SetTime(realClock.Now().Add(after))
		f.clientset.ClearActions()
		f.report(t, phases.Updated, metav1.ConditionTrue)
		require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
		return f.requests()
	}
	assert.Empty(t, repeat(0), "the informer may be behind")
	assert.Equal(t, []string{"get"}, repeat(time.Second))
	assert.Empty(t, repeat(time.Second), "it has not synced")
	assert.Equal(t, []string{"get"}, repeat(time.Minute))

	before := f.object(t).Status
	f.show(t, indexer, "1")
	assert.Empty(t, repeat(time.Hour))
	f.delete(t)
	require.NoError(t, indexer.Replace(nil, "2"))
	assert.Equal(t, []string{"get", "create", "patch/status"}, repeat(0))

	f.show(t, indexer, "3") // and is deleted before anybody looks
	f.delete(t)
	require.NoError(t, indexer.Replace(nil, "4"))
	assert.Equal(t, []string{"get", "create", "patch/status"}, repeat(time.Second))
	assert.Equal(t, before, f.object(t).Status)
}

// Run asks the API server for nothing if the Node was deleted with its object.
func TestRunLeavesTheObjectOfADeletedNode(t *testing.T) {
	upgrademonitor.SetListerInterval(t, time.Millisecond)
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	asked := make(chan struct{})
	var deleted atomic.Bool
	f := newFixture(t)
	f = f.another(t, withLister(indexer), func(c *upgrademonitor.Config) {
		node := c.Node
		c.Node = func() (*corev1.Node, error) {
			if deleted.Load() {
				asked <- struct{}{}
				return nil, apierrors.NewNotFound(corev1.Resource("nodes"), nodeName)
			}
			return node()
		}
	})
	f.reportUpdated(t)
	f.show(t, indexer, "1")
	f.report(t, phases.Updated, metav1.ConditionTrue)
	deleted.Store(true)
	f.delete(t)
	require.NoError(t, indexer.Replace(nil, "2"))

	var log logLines
	ctx, cancel := context.WithCancel(log.context(t.Context()))
	ended := make(chan error)
	go func() { ended <- f.Run(ctx) }()
	for range 5 {
		receive(t, asked, "Run has asked for the Node")
	}
	cancel()
	go func() { // it may ask once more
		for range asked {
		}
	}()
	require.NoError(t, receive(t, ended, "Run has ended"))
	close(asked)
	assert.Empty(t, f.requests())
	assert.Empty(t, log.take())
}

// Run restores the status of an object that another process has created in place of the deleted one.
func TestRunRestoresTheStatusOfAnotherObject(t *testing.T) {
	upgrademonitor.SetListerInterval(t, time.Millisecond)
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	f := newFixture(t, withLister(indexer))
	f.reportUpdated(t)
	before := f.object(t).Status
	f.show(t, indexer, "1")
	f.report(t, phases.Updated, metav1.ConditionTrue)

	f.delete(t)
	other := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: nodeName, UID: "another", ResourceVersion: "2"}}
	_, err := f.clientset.MachineconfigurationV1().MachineConfigNodes().Create(t.Context(), other, metav1.CreateOptions{})
	require.NoError(t, err)
	f.show(t, indexer, "2")
	written := make(chan struct{}, 10)
	f.reactor("patch", func() (bool, error) { written <- struct{}{}; return false, nil })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- f.Run(ctx) }()
	receive(t, written, "Run has written")
	cancel()
	require.NoError(t, receive(t, ended, "Run has ended"))
	assert.Equal(t, before.Conditions, f.object(t).Status.Conditions)
}

// Monitors.Run looks at the Lister for all nodes.
func TestRunOfMonitorsCreatesADeletedObjectAgain(t *testing.T) {
	upgrademonitor.SetListerInterval(t, time.Millisecond)
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	f := newFixture(t)
	config := upgrademonitor.Config{Client: f.clientset}
	withLister(indexer)(&config)
	monitors, err := upgrademonitor.NewMonitors(config, func(string) (*corev1.Node, error) { return f.node, nil })
	require.NoError(t, err)
	m, err := monitors.Get(nodeName)
	require.NoError(t, err)
	report := func() {
		require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "", metav1.ConditionTrue))
	}
	report()
	f.show(t, indexer, "1")
	report()
	f.delete(t)
	require.NoError(t, indexer.Replace(nil, "2"))
	created := make(chan struct{}, 10)
	f.reactor("create", func() (bool, error) { created <- struct{}{}; return false, nil })
	run(t, monitors.Run)
	receive(t, created, "Run has created the object")
}
