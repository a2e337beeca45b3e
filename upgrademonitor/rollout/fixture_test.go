package rollout_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/tools/reference"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// fixture is an in-memory cluster, and a controller that runs on it.
type fixture struct {
	t      *testing.T
	kube   *kubefake.Clientset
	mcfg   *mcfgfake.Clientset
	events *record.FakeRecorder
	clock  *testingclock.FakeClock
	stop   func()

	markers int

	mu  sync.Mutex // guards log
	log bytes.Buffer
}

// Write is the log of the controllers.
func (f *fixture) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.Write(line)
}

// logged returns the log so far.
func (f *fixture) logged() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log.String()
}

// recorder is a FakeRecorder with an empty scheme, as that of a host may be: an event of an
// object that it cannot refer to is lost. Objects from an API server have no TypeMeta.
type recorder struct{ *record.FakeRecorder }

func (r recorder) Event(object runtime.Object, eventType, reason, message string) {
	if _, ok := object.(*corev1.ObjectReference); !ok {
		object = object.DeepCopyObject()
		object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	if _, err := reference.GetReference(runtime.NewScheme(), object); err == nil {
		r.FakeRecorder.Event(object, eventType, reason, message)
	}
}

// newFixture has these nodes, and the pools master, worker, infra and gpu, each of which selects
// the nodes with the label role-<pool>.
func newFixture(t *testing.T, nodes ...*corev1.Node) *fixture {
	t.Helper()
	f := newFixtureWithoutPools(t, nodes...)
	for _, name := range []string{"master", "worker", "infra", "gpu"} {
		f.createPool(newPool(name))
	}
	return f
}

// newFixtureWithoutPools has these nodes, and no pools.
func newFixtureWithoutPools(t *testing.T, nodes ...*corev1.Node) *fixture {
	t.Helper()
	f := &fixture{t: t, kube: kubefake.NewClientset(), mcfg: mcfgfake.NewClientset(),
		events: record.NewFakeRecorder(100), clock: testingclock.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	for _, node := range nodes {
		f.create(node)
	}
	return f
}

// run starts a controller, which is stopped at the end of the test at the latest.
func (f *fixture) run(change ...func(*rollout.Config)) {
	f.t.Helper()
	core := informers.NewSharedInformerFactoryWithOptions(f.kube, 0, informers.WithTransform(pool.Trim))
	mcfg := mcfginformers.NewSharedInformerFactoryWithOptions(f.mcfg, 0, mcfginformers.WithTransform(pool.Trim))
	config := rollout.Config{
		Client:             f.mcfg,
		KubeClient:         f.kube,
		Nodes:              core.Core().V1().Nodes(),
		Pools:              mcfg.Machineconfiguration().V1().MachineConfigPools(),
		MachineConfigNodes: mcfg.Machineconfiguration().V1().MachineConfigNodes(),
		Recorder:           recorder{f.events},
		Clock:              f.clock,
	}
	for _, c := range change {
		c(&config)
	}
	controller, err := rollout.New(config)
	require.NoError(f.t, err)

	logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(f)))
	ctx, cancel := context.WithCancel(klog.NewContext(f.t.Context(), logger))
	core.Start(ctx.Done())
	mcfg.Start(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(f.t, controller.Run(ctx, 1)) })
	f.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		core.Shutdown()
		mcfg.Shutdown()
	})
	f.t.Cleanup(f.stop)
}

func newPool(name string) *mcfgv1.MachineConfigPool {
	return &mcfgv1.MachineConfigPool{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: mcfgv1.MachineConfigPoolSpec{
			NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"role-" + name: ""}},
		},
	}
}

// newNode returns a node that these pools select, with these configs in its annotations.
func newNode(name string, pools []string, current, desired string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid of " + name), Labels: map[string]string{}, Annotations: map[string]string{}}}
	for _, p := range pools {
		node.Labels["role-"+p] = ""
	}
	annotate(node, current, desired)
	return node
}

func annotate(node *corev1.Node, current, desired string) {
	for annotation, value := range map[string]string{upgrademonitor.CurrentConfigAnnotation: current, upgrademonitor.DesiredConfigAnnotation: desired} {
		if value != "" {
			node.Annotations[annotation] = value
		}
	}
}

func (f *fixture) createPool(p *mcfgv1.MachineConfigPool) {
	f.t.Helper()
	_, err := f.mcfg.MachineconfigurationV1().MachineConfigPools().Create(f.t.Context(), p, metav1.CreateOptions{})
	require.NoError(f.t, err)
}

func (f *fixture) create(node *corev1.Node) {
	f.t.Helper()
	_, err := f.kube.CoreV1().Nodes().Create(f.t.Context(), node, metav1.CreateOptions{})
	require.NoError(f.t, err)
}

// change updates the Node named node on the API server.
func (f *fixture) change(change func(*corev1.Node)) {
	f.t.Helper()
	node, err := f.kube.CoreV1().Nodes().Get(f.t.Context(), "node", metav1.GetOptions{})
	require.NoError(f.t, err)
	change(node)
	_, err = f.kube.CoreV1().Nodes().Update(f.t.Context(), node, metav1.UpdateOptions{})
	require.NoError(f.t, err)
}

// changeObject updates the object of a node, as another process does.
func (f *fixture) changeObject(name string, change func(*mcfgv1.MachineConfigNode)) {
	f.t.Helper()
	mcn := f.object(name).DeepCopy()
	change(mcn)
	_, err := f.mcfg.MachineconfigurationV1().MachineConfigNodes().Update(f.t.Context(), mcn, metav1.UpdateOptions{})
	require.NoError(f.t, err)
}

func (f *fixture) object(name string) *mcfgv1.MachineConfigNode {
	f.t.Helper()
	mcn, err := f.mcfg.MachineconfigurationV1().MachineConfigNodes().Get(f.t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(f.t, err)
	return mcn
}

// eventually waits until the object of a node passes a check.
func (f *fixture) eventually(name string, check func(*mcfgv1.MachineConfigNode) bool) *mcfgv1.MachineConfigNode {
	f.t.Helper()
	var last *mcfgv1.MachineConfigNode
	require.Eventually(f.t, func() bool {
		last = f.object(name)
		return check(last)
	}, 10*time.Second, 5*time.Millisecond, "%s: %+v", name, last)
	return last
}

// waitForQueue waits until the changes so far are synced: it creates a marker, a node that is
// behind them in the queue, and waits for its object.
func (f *fixture) waitForQueue() {
	f.t.Helper()
	f.markers++
	name := fmt.Sprintf("marker-%d", f.markers)
	f.create(newNode(name, nil, "", ""))
	f.eventually(name, exists)
}

// eventuallyRetried is eventually with a clock that advances.
func (f *fixture) eventuallyRetried(name string, check func(*mcfgv1.MachineConfigNode) bool) {
	f.t.Helper()
	f.eventually(name, func(mcn *mcfgv1.MachineConfigNode) bool {
		f.clock.Step(time.Second)
		return check(mcn)
	})
}

// failNext makes the first request of each kind fail.
func (f *fixture) failNext(kinds ...string) {
	for _, kind := range kinds {
		verb, resource, _ := strings.Cut(kind, " ")
		var failed atomic.Bool
		react := func(clienttesting.Action) (bool, runtime.Object, error) {
			if failed.Swap(true) {
				return false, nil, nil
			}
			return true, nil, apierrors.NewServiceUnavailable("outage")
		}
		f.kube.PrependReactor(verb, resource, react)
		f.mcfg.PrependReactor(verb, resource, react)
	}
}

func exists(mcn *mcfgv1.MachineConfigNode) bool { return mcn != nil }

func gone(mcn *mcfgv1.MachineConfigNode) bool { return mcn == nil }

func hasSpec(poolName, desired string) func(*mcfgv1.MachineConfigNode) bool {
	return func(mcn *mcfgv1.MachineConfigNode) bool {
		return mcn != nil && mcn.Spec.Pool.Name == poolName && mcn.Spec.ConfigVersion.Desired == desired
	}
}

// writes returns the verbs and names of all writes of objects so far.
func (f *fixture) writes() []string {
	var list []string
	for _, action := range f.mcfg.Actions() {
		if action.GetResource().Resource != "machineconfignodes" {
			continue
		}
		switch a := action.(type) {
		case clienttesting.CreateActionImpl:
			list = append(list, "create "+a.Object.(*mcfgv1.MachineConfigNode).Name)
		case clienttesting.PatchAction:
			list = append(list, "patch "+a.GetName()+subresource(action))
		case clienttesting.DeleteAction:
			list = append(list, "delete "+a.GetName())
		}
	}
	return list
}

func subresource(action clienttesting.Action) string {
	if s := action.GetSubresource(); s != "" {
		return "/" + s
	}
	return ""
}
