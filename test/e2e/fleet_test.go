package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	mcfginformersv1 "github.com/openshift/client-go/machineconfiguration/informers/externalversions/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	poolloop "github.com/openshift/upgrademonitor/examples/operator/pools"
	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// fleet is the nodes and pools of a cluster, with an administrator's clients, and the controller that a test
// runs as the service account of operator.yaml, which has only what that grants.
type fleet struct {
	t       *testing.T
	cluster *cluster.Cluster
	core    *kubernetes.Clientset
	mcfg    *mcfgclientset.Clientset

	requests *transport // the controller's
	recorder *record.FakeRecorder
	stop     func()
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	return fleetOn(t, operatorCluster(t), "master", "worker", "infra", "gpu")
}

func fleetOn(t *testing.T, c *cluster.Cluster, names ...string) *fleet {
	t.Helper()
	sameWhenGuarded(t)
	f := &fleet{t: t, cluster: c, core: kubeClient(t, c.Config()), mcfg: mcfgClient(t, c.Config()), recorder: record.NewFakeRecorder(100)}
	f.clear()
	for _, name := range names {
		f.createPool(name)
	}
	t.Cleanup(f.clear)
	return f
}

func (f *fleet) createPool(name string) {
	f.t.Helper()
	pool := &mcfgv1.MachineConfigPool{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       mcfgv1.MachineConfigPoolSpec{NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"node-role.kubernetes.io/" + name: ""}}},
	}
	pool.Spec.Configuration.Name = oldConfig
	_, err := f.pools().Create(f.t.Context(), pool, metav1.CreateOptions{})
	require.NoError(f.t, err)
}

// clear deletes all objects, those of earlier tests too.
func (f *fleet) clear() {
	ctx, all := context.WithoutCancel(f.t.Context()), metav1.ListOptions{}
	assert.NoError(f.t, f.core.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, all))
	assert.NoError(f.t, f.nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, all))
	assert.NoError(f.t, f.pools().DeleteCollection(ctx, metav1.DeleteOptions{}, all))
}

func (f *fleet) nodes() nodes { return f.mcfg.MachineconfigurationV1().MachineConfigNodes() }

func (f *fleet) pools() pools { return f.mcfg.MachineconfigurationV1().MachineConfigPools() }

// run starts the controller of the nodes' objects.
func (f *fleet) run(change ...func(*rollout.Config)) {
	f.t.Helper()
	f.runAs(asOperator(f.cluster), change...)
}

func (f *fleet) runAs(config *rest.Config, change ...func(*rollout.Config)) {
	f.t.Helper()
	f.control(config, func(p parts) func(context.Context) error {
		c := rollout.Config{
			Client:             p.mcfg,
			KubeClient:         p.core,
			Nodes:              p.nodes,
			Pools:              p.objects.MachineConfigPools(),
			MachineConfigNodes: p.objects.MachineConfigNodes(),
			Recorder:           f.recorder,
			Timeout:            2 * time.Second,
		}
		for _, change := range change {
			change(&c)
		}
		controller, err := rollout.New(c)
		require.NoError(f.t, err)
		return func(ctx context.Context) error { return controller.Run(ctx, 4) }
	})
}

// newRecorder returns a recorder of events that writes them as the operator's service account.
func (f *fleet) newRecorder() (record.EventRecorder, *transport) {
	f.t.Helper()
	config, requests := asOperator(f.cluster), &transport{}
	config.Wrap(requests.wrap)
	broadcaster := record.NewBroadcaster(record.WithContext(f.t.Context()))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: kubeClient(f.t, config).CoreV1().Events("")})
	f.t.Cleanup(broadcaster.Shutdown)
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "e2e"}), requests
}

// eventuallyEvent waits until the event of a pool exists.
func (f *fleet) eventuallyEvent(reason, message string) {
	f.t.Helper()
	eventually(f.t, func() bool {
		list, err := f.core.CoreV1().Events(metav1.NamespaceDefault).List(f.t.Context(), metav1.ListOptions{})
		require.NoError(f.t, err)
		return slices.ContainsFunc(list.Items, func(e corev1.Event) bool {
			return e.InvolvedObject.Kind == "MachineConfigPool" && e.Reason == reason && e.Message == message
		})
	}, "event %s %q", reason, message)
}

// runPool starts the example's loop of the pools' statuses, which may write each status every 50 ms.
func (f *fleet) runPool(change ...func(*poolloop.Loop, parts)) {
	f.t.Helper()
	recorder, _ := f.newRecorder()
	f.control(asOperator(f.cluster), func(p parts) func(context.Context) error {
		loop := poolloop.New(p.mcfg, p.nodes, p.objects, recorder)
		loop.Interval = 50 * time.Millisecond
		for _, change := range change {
			change(loop, p)
		}
		return loop.Run
	})
}

// settled waits until the loop of the pools' statuses has seen every pool, and returns how many requests it has
// made for the existing ones: a pool that is created now is synced after them.
func (f *fleet) settled() int {
	f.t.Helper()
	f.createPool("later")
	f.eventuallyPool("later", func(p *mcfgv1.MachineConfigPool) bool { return len(p.Status.Conditions) > 0 })
	f.stop()
	return f.requests.all() - 1
}

// parts are what a controller is made of.
type parts struct {
	core    kubernetes.Interface
	mcfg    mcfgclientset.Interface
	nodes   coreinformers.NodeInformer
	objects mcfginformersv1.Interface
}

// control runs a controller with a client and informers of its own.
func (f *fleet) control(config *rest.Config, build func(parts) (run func(context.Context) error)) {
	f.t.Helper()
	f.requests = &transport{}
	config.Wrap(f.requests.wrap)
	core, mcfg := kubeClient(f.t, config), mcfgClient(f.t, config)
	nodes, objects := informers.NewSharedInformerFactory(core, 0), mcfginformers.NewSharedInformerFactory(mcfg, 0)
	run := build(parts{core, mcfg, nodes.Core().V1().Nodes(), objects.Machineconfiguration().V1()})
	ctx, cancel := context.WithCancel(f.t.Context())
	nodes.StartWithContext(ctx)
	objects.StartWithContext(ctx)
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(f.t, run(ctx)) })
	f.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		nodes.Shutdown()
		objects.Shutdown()
	})
	f.t.Cleanup(f.stop)
}

// node creates a Ready node of a pool, with a config that is current and desired.
func (f *fleet) node(name, poolName, config string, change ...func(*corev1.Node)) *testNode {
	f.t.Helper()
	w := unguardedNodeOn(f.t, f.cluster, name, append([]func(*corev1.Node){func(n *corev1.Node) {
		n.Labels = map[string]string{"node-role.kubernetes.io/" + poolName: ""}
		n.Annotations = map[string]string{upgrademonitor.CurrentConfigAnnotation: config, upgrademonitor.DesiredConfigAnnotation: config}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	}}, change...)...)
	return w
}

// patch changes labels or annotations of a node: "annotations.desiredConfig=x", or
// "labels.gpu=-" to remove one. Keys get their usual prefix.
func (f *fleet) patch(name string, changes ...string) *corev1.Node {
	f.t.Helper()
	fields := map[string][]string{}
	for _, change := range changes {
		kind, rest, _ := strings.Cut(change, ".")
		key, value, _ := strings.Cut(rest, "=")
		prefix := map[string]string{"annotations": "machineconfiguration.openshift.io/", "labels": "node-role.kubernetes.io/"}[kind]
		value = `"` + strings.TrimSuffix(value, `"`) + `"`
		if value == `"-"` {
			value = "null"
		}
		fields[kind] = append(fields[kind], fmt.Sprintf(`"%s%s":%s`, prefix, key, value))
	}
	var parts []string
	for kind, list := range fields {
		parts = append(parts, fmt.Sprintf(`"%s":{%s}`, kind, strings.Join(list, ",")))
	}
	return f.patchNode(name, `{"metadata":{`+strings.Join(parts, ",")+`}}`)
}

func (f *fleet) patchNode(name, patch string) *corev1.Node {
	f.t.Helper()
	node, err := f.core.CoreV1().Nodes().Patch(f.t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(f.t, err)
	return node
}

func (f *fleet) patchPool(name, patch string) {
	f.t.Helper()
	_, err := f.pools().Patch(f.t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(f.t, err)
}

// object returns the object of a node, or nil.
func (f *fleet) object(name string) *mcfgv1.MachineConfigNode {
	f.t.Helper()
	mcn, err := f.nodes().Get(f.t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(f.t, err)
	return mcn
}

// eventually waits until the object of a node passes a check.
func (f *fleet) eventually(name string, check func(*mcfgv1.MachineConfigNode) bool) (last *mcfgv1.MachineConfigNode) {
	f.t.Helper()
	eventually(f.t, func() bool {
		last = f.object(name)
		return check(last)
	}, name)
	return last
}

// eventuallyPool waits until a pool passes a check.
func (f *fleet) eventuallyPool(name string, check func(*mcfgv1.MachineConfigPool) bool) (last *mcfgv1.MachineConfigPool) {
	f.t.Helper()
	eventually(f.t, func() (ok bool) {
		var err error
		last, err = f.pools().Get(f.t.Context(), name, metav1.GetOptions{})
		require.NoError(f.t, err)
		return check(last)
	}, name)
	return last
}

func exists(mcn *mcfgv1.MachineConfigNode) bool { return mcn != nil }

func hasSpec(poolName, desired string) func(*mcfgv1.MachineConfigNode) bool {
	return func(mcn *mcfgv1.MachineConfigNode) bool {
		return mcn != nil && mcn.Spec.Pool.Name == poolName && mcn.Spec.ConfigVersion.Desired == desired
	}
}
