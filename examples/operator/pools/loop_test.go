package pools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/examples/operator/pools"
	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

const (
	oldConfig, newConfig = "rendered-worker-aaa", "rendered-worker-bbb"
	keyOfDesired         = "machineconfiguration.openshift.io/desiredConfig"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster is a cluster in memory, in fake time.
type cluster struct {
	t        *testing.T
	kube     *kubefake.Clientset
	mcfg     *mcfgfake.Clientset
	client   mcfgclientset.Interface // of the Loop
	recorder *record.FakeRecorder

	version int                              // the last resource version of a pool
	written []mcfgv1.MachineConfigPoolStatus // in order
	times   []time.Time                      // of all attempts to write
	before  func() error                     // called before each write; its error is the response
	end     func()                           // ends the context of Run
	log     bytes.Buffer
}

// recorder puts the object of an event before the message.
type recorder struct{ *record.FakeRecorder }

func (r recorder) Event(object runtime.Object, eventType, reason, message string) {
	o := object.(*corev1.ObjectReference)
	r.FakeRecorder.Event(object, eventType, reason, strings.Join([]string{o.APIVersion, o.Kind, o.Name, string(o.UID), message}, " "))
}

func inBubble(t *testing.T, test func(*testing.T, *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{t: t, kube: kubefake.NewClientset(), mcfg: mcfgfake.NewClientset(), recorder: record.NewFakeRecorder(100), before: func() error { return nil }}
		c.client = c.mcfg
		c.mcfg.PrependReactor("update", "machineconfigpools", c.update)
		test(t, c)
	})
}

// update updates a pool like an API server: an old resourceVersion is a conflict.
func (c *cluster) update(action clienttesting.Action) (bool, runtime.Object, error) {
	next := action.(clienttesting.UpdateAction).GetObject().(*mcfgv1.MachineConfigPool).DeepCopy()
	if action.GetSubresource() == "status" {
		c.times = append(c.times, time.Now())
		if err := c.before(); err != nil {
			return true, nil, err
		}
	}
	stored, err := c.mcfg.Tracker().Get(action.GetResource(), "", next.Name)
	if err != nil {
		return true, nil, err
	}
	if next.ResourceVersion != stored.(*mcfgv1.MachineConfigPool).ResourceVersion {
		return true, nil, apierrors.NewConflict(action.GetResource().GroupResource(), next.Name, errors.New("modified"))
	}
	c.version++
	next.ResourceVersion = strconv.Itoa(c.version)
	if action.GetSubresource() == "status" {
		c.written = append(c.written, next.Status)
	} else {
		next.Generation++
	}
	return true, next, c.mcfg.Tracker().Update(action.GetResource(), next, "")
}

// run starts a Loop, and waits until the Loop is idle. The Loop runs until stop is called.
func (c *cluster) run(interval time.Duration) (stop func()) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(klog.NewContext(c.t.Context(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&c.log)))))
	c.end = cancel
	kube, mcfg := informers.NewSharedInformerFactory(c.kube, 0), mcfginformers.NewSharedInformerFactory(c.mcfg, 0)
	loop := pools.New(c.client, kube.Core().V1().Nodes(), mcfg.Machineconfiguration().V1(), recorder{c.recorder})
	if interval > 0 {
		loop.Interval = interval
	}
	kube.StartWithContext(ctx)
	mcfg.StartWithContext(ctx)
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(c.t, loop.Run(ctx)) })
	stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		kube.Shutdown()
		mcfg.Shutdown()
	})
	c.t.Cleanup(stop)
	c.pass(time.Minute)
	return stop
}

// wait lets fake time pass.
func wait(d time.Duration) { <-time.After(d) }

// pass lets time pass, and waits until the loop is idle.
func (c *cluster) pass(d time.Duration) {
	wait(d)
	synctest.Wait()
}

func (c *cluster) addPool(name string) {
	c.t.Helper()
	p := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), Generation: 1, ResourceVersion: "0"},
		Spec: mcfgv1.MachineConfigPoolSpec{NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"role-" + name: ""}}}}
	p.Spec.Configuration.Name = oldConfig
	require.NoError(c.t, c.mcfg.Tracker().Create(mcfgv1.GroupVersion.WithResource("machineconfigpools"), p, ""))
}

func (c *cluster) pool(name string) *mcfgv1.MachineConfigPool {
	c.t.Helper()
	p, err := c.mcfg.Tracker().Get(mcfgv1.GroupVersion.WithResource("machineconfigpools"), "", name) // the clientset has a lock
	require.NoError(c.t, err)
	return p.DeepCopyObject().(*mcfgv1.MachineConfigPool)
}

func (c *cluster) changePool(name string, change func(*mcfgv1.MachineConfigPool)) {
	c.t.Helper()
	p := c.pool(name)
	change(p)
	_, err := c.mcfg.MachineconfigurationV1().MachineConfigPools().Update(c.t.Context(), p, metav1.UpdateOptions{})
	require.NoError(c.t, err)
}

// worker is a node of the pool worker, and its object.
type worker struct {
	c    *cluster
	node *corev1.Node
	mcn  *mcfgv1.MachineConfigNode
}

func (c *cluster) add(name string, roles ...string) *worker {
	c.t.Helper()
	m := &worker{c, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}, Annotations: map[string]string{keyOfDesired: oldConfig}}},
		&mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: name}}}
	for _, role := range roles {
		m.node.Labels["role-"+role] = ""
	}
	m.node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	m.mcn.Spec.ConfigVersion.Desired = oldConfig
	m.mcn.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: oldConfig, Current: oldConfig}
	m.mcn.Status.Conditions = transitions.Complete(nil, false, metav1.Now())
	conditions.Find(m.mcn.Status.Conditions, phases.Updated).Status = metav1.ConditionTrue
	require.NoError(c.t, c.kube.Tracker().Add(m.node))
	require.NoError(c.t, c.mcfg.Tracker().Add(m.mcn))
	return m
}

// setNode and setObject store the Node and the MachineConfigNode of the worker.
func (m *worker) setNode() {
	m.c.t.Helper()
	require.NoError(m.c.t, m.c.kube.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"), m.node.DeepCopy(), ""))
}

func (m *worker) setObject() {
	m.c.t.Helper()
	require.NoError(m.c.t, m.c.mcfg.Tracker().Update(mcfgv1.GroupVersion.WithResource("machineconfignodes"), m.mcn.DeepCopy(), ""))
}

// trace has calls of a daemon and a controller that were recorded on a cluster.
type trace struct {
	Name  string
	Steps []struct {
		Phase           phases.Phase
		Status          metav1.ConditionStatus
		Reason, Message string
		CompletesParent bool
		Node            struct{ CurrentConfig, DesiredConfig string }
	}
}

func traceOf(t *testing.T, name string) trace {
	t.Helper()
	data, err := os.ReadFile("../../../test/e2e/testdata/daemon-calls.json")
	require.NoError(t, err)
	var list []trace
	require.NoError(t, json.Unmarshal(data, &list))
	i := slices.IndexFunc(list, func(tr trace) bool { return tr.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return list[i]
}

// update replays a trace on a worker, with 20 seconds for each call. The Node gets a new desired config two seconds before
// its object.
func (m *worker) update(tr trace) {
	target := m.mcn.Spec.ConfigVersion.Desired // of the last update that has started
	for _, call := range tr.Steps {
		if desired := call.Node.DesiredConfig; m.mcn.Spec.ConfigVersion.Desired != desired {
			m.node.Annotations[keyOfDesired] = desired
			m.setNode()
			wait(2 * time.Second)
			m.mcn.Spec.ConfigVersion.Desired = desired
			m.setObject()
		}
		wait(20 * time.Second)
		ready, cordoned := m.node.Status.Conditions[0].Status, m.node.Spec.Unschedulable
		switch call.Phase {
		case phases.Cordoned, phases.Uncordoned:
			cordoned = call.Phase == phases.Cordoned
		case phases.RebootedNode:
			ready = corev1.ConditionStatus(call.Status)
		}
		if ready != m.node.Status.Conditions[0].Status || cordoned != m.node.Spec.Unschedulable {
			m.node.Status.Conditions[0].Status, m.node.Spec.Unschedulable = ready, cordoned
			m.setNode()
			wait(100 * time.Millisecond) // the watch of the objects lags behind the watch of the Nodes
		}
		cycle := transitions.Update{Name: target}
		if call.Phase == phases.Updated && call.Status == "False" {
			cycle.NewTarget = call.Node.DesiredConfig != target
			target = call.Node.DesiredConfig
		}
		list, err := conditionstest.Writes(m.mcn.Status.Conditions, false, transitions.Report{Phase: call.Phase, Status: call.Status, Reason: call.Reason, Message: call.Message,
			CompletesParent: call.CompletesParent, Time: metav1.Now()}, cycle)
		assert.NoError(m.c.t, err)
		m.mcn.Status.ConfigVersion.Current = call.Node.CurrentConfig
		if len(list) > 0 { // the writes of a report come so fast that the loop sees only the last one
			m.mcn.Status.Conditions = list[len(list)-1]
			m.setObject()
		}
	}
}

// A rollout makes at most two writes more than the counts of the pool change, because each write of the pool's status
// makes other controllers and every daemon work. docs/scale.md has the figures. The nodes replay recorded calls: two at a
// time are updated, or fail and go back to the old config, or all 20 are updated at the same time.
func TestARolloutMakesFewWritesOfThePool(t *testing.T) {
	for _, test := range []struct {
		trace           string
		interval        time.Duration // 0: the default
		nodes, atATime  int32
		updated, events int32
	}{
		{"standard_reboot", 0, 8, 2, 8, 2},
		{"standard_reboot", time.Millisecond, 8, 2, 8, 2},
		{"files_failure_degraded_then_recovery", time.Millisecond, 8, 2, 0, 1},
		{"standard_reboot", 0, 20, 20, 20, 2},
		{"standard_reboot", time.Second, 20, 20, 20, 2},
	} {
		inBubble(t, func(t *testing.T, c *cluster) {
			c.addPool("worker")
			var machines []*worker
			for i := range test.nodes {
				machines = append(machines, c.add(fmt.Sprint("worker-", i), "worker"))
			}
			stop := c.run(test.interval)
			assert.Equal(t, "Normal Completed machineconfiguration.openshift.io/v1 MachineConfigPool worker uid-worker "+
				"Pool worker has completed update to MachineConfig rendered-worker-aaa", <-c.recorder.Events)
			c.written = nil
			before := countsOf(c.pool("worker").Status)
			c.changePool("worker", func(p *mcfgv1.MachineConfigPool) { p.Spec.Configuration.Name = newConfig })
			tr, started := traceOf(t, test.trace), time.Now()
			var running sync.WaitGroup
			for i := range test.atATime {
				running.Go(func() {
					wait(time.Duration(i) * 700 * time.Millisecond)
					for n := i; n < test.nodes; n += test.atATime {
						machines[n].update(tr)
						wait(3 * time.Second)
					}
				})
			}
			running.Wait()
			last := time.Now()
			c.pass(time.Minute)
			changes := 0
			for _, s := range c.written {
				if countsOf(s) != before {
					changes++
				}
				before = countsOf(s)
			}
			object, err := json.Marshal(c.pool("worker"))
			require.NoError(t, err)
			t.Logf("%+v: %d writes of %d bytes in %s, the counts change %d times", test, len(c.written), len(object), last.Sub(started), changes)
			assert.LessOrEqual(t, len(c.written), changes+2)
			assert.Equal(t, [5]int32{test.nodes, test.updated, test.updated, 0, 0}, before)
			assert.LessOrEqual(t, c.times[len(c.times)-1].Sub(last), 6*time.Second, "the status is written within six seconds of the last update")
			assert.Len(t, c.recorder.Events, int(test.events), "one event says that the pool targets the config, and one says that the update is complete")
			stop()
			c.written = nil
			c.run(test.interval)
			assert.Empty(t, c.written, "a restart writes nothing")
		})
	}
}

func countsOf(s mcfgv1.MachineConfigPoolStatus) [5]int32 {
	return [5]int32{s.MachineCount, s.UpdatedMachineCount, s.ReadyMachineCount, s.UnavailableMachineCount, s.DegradedMachineCount}
}

// After a quiet time, the first change is written within half a second, despite heartbeats. The next change is written
// after the Interval.
func TestTheFirstChangeIsWrittenAtOnceAndTheNextAfterTheInterval(t *testing.T) {
	inBubble(t, func(t *testing.T, c *cluster) {
		c.addPool("worker")
		m, noise := c.add("a", "worker"), c.add("b", "worker")
		c.run(0)
		ctx, cancel := context.WithCancel(t.Context())
		var beating sync.WaitGroup
		beating.Go(func() {
			for ctx.Err() == nil {
				noise.node.Status.Conditions[0].LastHeartbeatTime = metav1.Now()
				noise.setNode()
				wait(170 * time.Millisecond)
			}
		})
		flip := func() {
			m.node.Spec.Unschedulable = !m.node.Spec.Unschedulable
			m.setNode()
		}
		for i := range 3 {
			start := time.Now()
			c.times = nil
			flip()
			c.pass(time.Second)
			flip()
			c.pass(9*time.Second + time.Duration(i)*77*time.Millisecond)
			if assert.Len(t, c.times, 2) {
				assert.LessOrEqual(t, c.times[0].Sub(start), 500*time.Millisecond)
				assert.GreaterOrEqual(t, c.times[1].Sub(c.times[0]), 5*time.Second)
				assert.LessOrEqual(t, c.times[1].Sub(start), 6*time.Second)
			}
		}
		cancel()
		beating.Wait()
	})
}

// If another controller writes its condition just before a write, neither write is lost. A conflict is retried within a
// second, even if the informer does not show the other write.
func TestNoWriteOfAnotherControllerIsLost(t *testing.T) {
	inBubble(t, func(t *testing.T, c *cluster) {
		c.addPool("worker")
		c.add("a", "worker")
		left := 10
		c.before = func() error {
			if left--; left >= 5 {
				return apierrors.NewConflict(mcfgv1.Resource("machineconfigpools"), "worker", errors.New("modified"))
			} else if left >= 0 {
				p := c.pool("worker")
				c.version++
				p.ResourceVersion = strconv.Itoa(c.version)
				p.Status.Conditions = []mcfgv1.MachineConfigPoolCondition{{Type: mcfgv1.MachineConfigPoolRenderDegraded, Status: corev1.ConditionTrue, Message: fmt.Sprint(left)}}
				return c.mcfg.Tracker().Update(mcfgv1.GroupVersion.WithResource("machineconfigpools"), p, "")
			}
			return nil
		}
		c.run(0)
		require.Len(t, c.times, 11)
		for i := range 10 {
			assert.LessOrEqual(t, c.times[i+1].Sub(c.times[i]), time.Second)
		}
		s := c.pool("worker").Status
		assert.Equal(t, [5]int32{1, 1, 1, 0, 0}, countsOf(s))
		assert.Contains(t, fmt.Sprint(s.Conditions), "{RenderDegraded True")
	})
}

// In an outage, a sync is retried with backoff. The sync of a deleted pool is not retried.
func TestAFailedSyncIsRetriedUnlessThePoolIsDeleted(t *testing.T) {
	inBubble(t, func(t *testing.T, c *cluster) {
		c.addPool("worker")
		outage := apierrors.NewInternalError(errors.New("etcd has no leader"))
		c.before = func() error { return outage }
		c.run(0)
		c.pass(9 * time.Minute)
		tried := len(c.times)
		assert.Greater(t, tried, 20, "the longest pause between two retries is 30 seconds")
		assert.Less(t, tried, 40, "with backoff")
		assert.Equal(t, tried, strings.Count(c.log.String(), `"Failed to sync MachineConfigPool, retrying" err="Internal error occurred: etcd has no leader" pool="worker"`))
		require.NoError(t, c.mcfg.Tracker().Delete(mcfgv1.GroupVersion.WithResource("machineconfigpools"), "", "worker"))
		c.pass(time.Hour)
		assert.LessOrEqual(t, len(c.times), tried+1)
	})
}

// hanging is a client whose API server does not respond to UpdateStatus of a pool.
type hanging struct {
	mcfgclientset.Interface
	mcfgclient.MachineconfigurationV1Interface
	mcfgclient.MachineConfigPoolInterface
	canceledAfter *time.Duration
}

func (h hanging) MachineconfigurationV1() mcfgclient.MachineconfigurationV1Interface { return h }
func (h hanging) MachineConfigPools() mcfgclient.MachineConfigPoolInterface          { return h }

func (h hanging) UpdateStatus(ctx context.Context, _ *mcfgv1.MachineConfigPool, _ metav1.UpdateOptions) (*mcfgv1.MachineConfigPool, error) {
	began := time.Now()
	<-ctx.Done()
	*h.canceledAfter = time.Since(began)
	return nil, ctx.Err()
}

// A request that hangs does not delay the other pools for longer than 10 seconds.
func TestARequestThatHangsIsCanceledAfter10Seconds(t *testing.T) {
	inBubble(t, func(t *testing.T, c *cluster) {
		c.addPool("worker")
		h := hanging{canceledAfter: new(time.Duration)}
		c.client = h
		c.run(0)
		assert.Equal(t, 10*time.Second, *h.canceledAfter)
	})
}

func TestNoPoolIsSyncedAfterRunHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, c *cluster) {
		for _, name := range []string{"worker", "infra", "gpu"} {
			c.addPool(name)
		}
		c.before = func() error {
			c.end()
			return nil
		}
		c.run(0)
		assert.Len(t, c.times, 1)
	})
}

// A Node is counted in its primary pool, and in no pool if its pools conflict. While a nodeSelector is invalid, no status
// is written.
func TestANodeIsCountedInItsPrimaryPool(t *testing.T) {
	inBubble(t, func(t *testing.T, c *cluster) {
		for _, name := range []string{"worker", "infra", "gpu"} {
			c.addPool(name)
		}
		m := c.add("a", "worker")
		c.add("b", "worker")
		c.run(0)
		machines := func() string {
			c.pass(time.Minute)
			return fmt.Sprint(c.pool("worker").Status.MachineCount, c.pool("infra").Status.MachineCount, c.pool("gpu").Status.MachineCount)
		}
		assert.Equal(t, "2 0 0", machines())
		m.node.Labels["role-infra"] = ""
		m.setNode()
		assert.Equal(t, "1 1 0", machines())
		m.node.Labels["role-gpu"] = ""
		m.setNode()
		assert.Equal(t, "1 0 0", machines())
		invalid := []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}
		c.changePool("infra", func(p *mcfgv1.MachineConfigPool) { p.Spec.NodeSelector.MatchExpressions = invalid })
		c.pass(time.Second)
		delete(m.node.Labels, "role-infra")
		m.setNode()
		assert.Equal(t, "1 0 0", machines())
		assert.Contains(t, c.log.String(), `err="MachineConfigPool infra: invalid nodeSelector: `)
		c.changePool("infra", func(p *mcfgv1.MachineConfigPool) { p.Spec.NodeSelector.MatchExpressions = nil })
		assert.Equal(t, "1 0 1", machines())
	})
}

// The current build of a layered pool is the build that the annotation names, or else the newest build of the pool's
// config.
func TestTheStatusHasTheCurrentBuild(t *testing.T) {
	inBubble(t, func(t *testing.T, c *cluster) {
		c.addPool("worker")
		c.addPool("infra")
		config := &mcfgv1.MachineOSConfig{ObjectMeta: metav1.ObjectMeta{Name: "mosc"}}
		config.Spec.MachineConfigPool.Name = "worker"
		require.NoError(t, c.mcfg.Tracker().Add(config))
		build := func(name, config, rendered string, age time.Duration) {
			b := &mcfgv1.MachineOSBuild{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(time.Now().Add(-age))}}
			b.Spec.MachineOSConfig.Name, b.Spec.MachineConfig.Name = config, rendered
			require.NoError(t, c.mcfg.Tracker().Add(b))
		}
		updating := func(name string) string {
			c.pass(time.Minute)
			for _, condition := range c.pool(name).Status.Conditions {
				if condition.Type == mcfgv1.MachineConfigPoolUpdating {
					return condition.Message
				}
			}
			return ""
		}
		c.run(0)
		assert.Contains(t, updating("worker"), "(mosc: mosc)")
		assert.NotContains(t, updating("infra"), "mosc")
		build("another-owner", "other", oldConfig, -time.Hour)
		build("another-config", "mosc", newConfig, -time.Hour)
		assert.Contains(t, updating("worker"), "(mosc: mosc)")
		build("first", "mosc", oldConfig, time.Hour)
		build("newest", "mosc", oldConfig, 0)
		build("oldest", "mosc", oldConfig, 2*time.Hour)
		assert.Contains(t, updating("worker"), "(mosb: newest)")
		config.Annotations = map[string]string{"machineconfiguration.openshift.io/current-machine-os-build": "first"}
		require.NoError(t, c.mcfg.Tracker().Update(mcfgv1.GroupVersion.WithResource("machineosconfigs"), config, ""))
		assert.Contains(t, updating("worker"), "(mosb: first)")
		assert.True(t, strings.HasPrefix(updating("infra"), "All nodes are updated with "))
	})
}
