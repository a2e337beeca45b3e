package rollout_test

import (
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
	testingclock "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// world is a cluster in memory, and a controller that runs on it.
type world struct {
	t      *testing.T
	kube   *kubefake.Clientset
	mcfg   *mcfgfake.Clientset
	events *record.FakeRecorder
	clock  *testingclock.FakeClock
	stop   func()

	settlers int
}

// recorder is a FakeRecorder that knows no type, as that of a host may not: an event of an
// object that it cannot refer to is lost. An API server's objects do not say their type.
type recorder struct{ *record.FakeRecorder }

func (r recorder) Event(about runtime.Object, eventType, reason, message string) {
	if _, ok := about.(*corev1.ObjectReference); !ok {
		about = about.DeepCopyObject()
		about.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	if _, err := reference.GetReference(runtime.NewScheme(), about); err == nil {
		r.FakeRecorder.Event(about, eventType, reason, message)
	}
}

// newWorld has these nodes, and the pools master, worker, infra and gpu, each of which wants
// the nodes with the label role-<pool>.
func newWorld(t *testing.T, nodes ...*corev1.Node) *world {
	t.Helper()
	w := &world{t: t, kube: kubefake.NewClientset(), mcfg: mcfgfake.NewClientset(),
		events: record.NewFakeRecorder(100), clock: testingclock.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	for _, node := range nodes {
		w.create(node)
	}
	for _, name := range []string{"master", "worker", "infra", "gpu"} {
		_, err := w.mcfg.MachineconfigurationV1().MachineConfigPools().Create(t.Context(), newPool(name), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	return w
}

// run starts a controller, which the test stops at its end, if not before.
func (w *world) run(change ...func(*rollout.Config)) {
	w.t.Helper()
	core := informers.NewSharedInformerFactoryWithOptions(w.kube, 0, informers.WithTransform(pool.Trim))
	mcfg := mcfginformers.NewSharedInformerFactoryWithOptions(w.mcfg, 0, mcfginformers.WithTransform(pool.Trim))
	config := rollout.Config{
		Client:             w.mcfg,
		KubeClient:         w.kube,
		Nodes:              core.Core().V1().Nodes(),
		Pools:              mcfg.Machineconfiguration().V1().MachineConfigPools(),
		MachineConfigNodes: mcfg.Machineconfiguration().V1().MachineConfigNodes(),
		Recorder:           recorder{w.events},
		Clock:              w.clock,
	}
	for _, c := range change {
		c(&config)
	}
	controller, err := rollout.New(config)
	require.NoError(w.t, err)

	ctx, cancel := context.WithCancel(w.t.Context())
	core.Start(ctx.Done())
	mcfg.Start(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(w.t, controller.Run(ctx, 1)) })
	w.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		core.Shutdown()
		mcfg.Shutdown()
	})
	w.t.Cleanup(w.stop)
}

func newPool(name string) *mcfgv1.MachineConfigPool {
	return &mcfgv1.MachineConfigPool{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: mcfgv1.MachineConfigPoolSpec{
			NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"role-" + name: ""}},
		},
	}
}

// newNode is a node that pools want, and that has these annotations for its configs and images.
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

func (w *world) create(node *corev1.Node) {
	w.t.Helper()
	_, err := w.kube.CoreV1().Nodes().Create(w.t.Context(), node, metav1.CreateOptions{})
	require.NoError(w.t, err)
}

// change changes the Node named node, as the API server shows it to everybody.
func (w *world) change(change func(*corev1.Node)) {
	w.t.Helper()
	node, err := w.kube.CoreV1().Nodes().Get(w.t.Context(), "node", metav1.GetOptions{})
	require.NoError(w.t, err)
	change(node)
	_, err = w.kube.CoreV1().Nodes().Update(w.t.Context(), node, metav1.UpdateOptions{})
	require.NoError(w.t, err)
}

func (w *world) object(name string) *mcfgv1.MachineConfigNode {
	w.t.Helper()
	mcn, err := w.mcfg.MachineconfigurationV1().MachineConfigNodes().Get(w.t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(w.t, err)
	return mcn
}

// eventually waits until the object of a node is as a check wants it.
func (w *world) eventually(name string, check func(*mcfgv1.MachineConfigNode) bool) *mcfgv1.MachineConfigNode {
	w.t.Helper()
	var last *mcfgv1.MachineConfigNode
	require.Eventually(w.t, func() bool {
		last = w.object(name)
		return check(last)
	}, 10*time.Second, 5*time.Millisecond, "%s: %+v", name, last)
	return last
}

// settle returns when what has been changed was seen to: another node, made after it, has
// come through the queue.
func (w *world) settle() {
	w.t.Helper()
	w.settlers++
	name := fmt.Sprintf("settler-%d", w.settlers)
	w.create(newNode(name, nil, "", ""))
	w.eventually(name, exists)
}

// eventuallyRetried is eventually, while time goes on.
func (w *world) eventuallyRetried(name string, check func(*mcfgv1.MachineConfigNode) bool) {
	w.t.Helper()
	w.eventually(name, func(mcn *mcfgv1.MachineConfigNode) bool {
		w.clock.Step(time.Second)
		return check(mcn)
	})
}

// failNext has the first request of each kind fail.
func (w *world) failNext(kinds ...string) {
	for _, kind := range kinds {
		verb, resource, _ := strings.Cut(kind, " ")
		var failed atomic.Bool
		react := func(clienttesting.Action) (bool, runtime.Object, error) {
			if failed.Swap(true) {
				return false, nil, nil
			}
			return true, nil, apierrors.NewServiceUnavailable("outage")
		}
		w.kube.PrependReactor(verb, resource, react)
		w.mcfg.PrependReactor(verb, resource, react)
	}
}

func exists(mcn *mcfgv1.MachineConfigNode) bool { return mcn != nil }

func gone(mcn *mcfgv1.MachineConfigNode) bool { return mcn == nil }

func says(poolName, desired string) func(*mcfgv1.MachineConfigNode) bool {
	return func(mcn *mcfgv1.MachineConfigNode) bool {
		return mcn != nil && mcn.Spec.Pool.Name == poolName && mcn.Spec.ConfigVersion.Desired == desired
	}
}

// writes is the verbs and names of all writes of objects so far.
func (w *world) writes() []string {
	var list []string
	for _, action := range w.mcfg.Actions() {
		if action.GetResource().Resource != "machineconfignodes" {
			continue
		}
		switch a := action.(type) {
		case clienttesting.PatchAction:
			list = append(list, string(a.GetPatchType())+" "+a.GetName()+subresource(action))
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
