package e2e

import (
	"context"
	"encoding/json"
	"net/http"
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
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// fleet manages the nodes and pools of a cluster with an administrator's clients.
type fleet struct {
	t       *testing.T
	cluster *cluster.Cluster
	core    *kubernetes.Clientset
	mcfg    *mcfgclientset.Clientset
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	return fleetOn(t, withOperator.get(t, installOperator), "master", "worker", "infra", "gpu")
}

func fleetOn(t *testing.T, c *cluster.Cluster, pools ...string) *fleet {
	t.Helper()
	f := &fleet{t: t, cluster: c, core: kubeClient(t, c.Config()), mcfg: mcfgClient(t, c.Config())}
	f.clear()
	t.Cleanup(f.clear)
	for _, name := range pools {
		f.createPool(name)
	}
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

// clear deletes all nodes, their objects and all pools.
func (f *fleet) clear() {
	ctx, all := context.WithoutCancel(f.t.Context()), metav1.ListOptions{}
	assert.NoError(f.t, f.core.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, all))
	assert.NoError(f.t, f.nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, all))
	assert.NoError(f.t, f.pools().DeleteCollection(ctx, metav1.DeleteOptions{}, all))
}

func (f *fleet) nodes() nodes { return f.mcfg.MachineconfigurationV1().MachineConfigNodes() }

func (f *fleet) pools() pools { return f.mcfg.MachineconfigurationV1().MachineConfigPools() }

// parts has the clients, informers and recorder of a controller.
type parts struct {
	core     kubernetes.Interface
	mcfg     mcfgclientset.Interface
	nodes    coreinformers.NodeInformer
	objects  mcfginformersv1.Interface
	recorder record.EventRecorder
}

// controller is a running controller. It counts its requests, and separately its requests for events.
type controller struct {
	requests, events *transport
	stop             func()
}

// control runs the controller that build returns, with its own clients and informers. config authenticates it as
// a service account of operator.yaml.
func (f *fleet) control(config *rest.Config, build func(parts) (run func(context.Context) error)) *controller {
	f.t.Helper()
	c := &controller{requests: &transport{}, events: &transport{}}
	eventConfig := rest.CopyConfig(config)
	eventConfig.Wrap(c.events.wrap)
	broadcaster := record.NewBroadcaster(record.WithContext(f.t.Context()))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: kubeClient(f.t, eventConfig).CoreV1().Events("")})
	config.Wrap(c.requests.wrap)
	core, mcfg := kubeClient(f.t, config), mcfgClient(f.t, config)
	nodes, objects := informers.NewSharedInformerFactory(core, 0), mcfginformers.NewSharedInformerFactory(mcfg, 0)
	run := build(parts{core, mcfg, nodes.Core().V1().Nodes(), objects.Machineconfiguration().V1(),
		broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "e2e"})})
	ctx, cancel := context.WithCancel(f.t.Context())
	nodes.StartWithContext(ctx)
	objects.StartWithContext(ctx)
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(f.t, run(ctx)) })
	c.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		nodes.Shutdown()
		objects.Shutdown()
		broadcaster.Shutdown()
	})
	f.t.Cleanup(c.stop)
	return c
}

// run starts the controller of package rollout, with the service account of the operator.
func (f *fleet) run(change ...func(*rollout.Config)) *controller {
	f.t.Helper()
	return f.control(asOperator(f.cluster), func(p parts) func(context.Context) error {
		config := rollout.Config{Client: p.mcfg, KubeClient: p.core, Nodes: p.nodes, Pools: p.objects.MachineConfigPools(),
			MachineConfigNodes: p.objects.MachineConfigNodes(), Recorder: p.recorder, Timeout: 2 * time.Second}
		for _, change := range change {
			change(&config)
		}
		r, err := rollout.New(config)
		require.NoError(f.t, err)
		return func(ctx context.Context) error { return r.Run(ctx, 4) }
	})
}

// runPool starts the example's loop, which writes the status of a pool at most every 50 ms.
func (f *fleet) runPool() *controller {
	f.t.Helper()
	return f.control(asController(f.cluster), func(p parts) func(context.Context) error {
		loop := poolloop.New(p.mcfg, p.nodes, p.objects, p.recorder)
		loop.Interval = 50 * time.Millisecond
		return loop.Run
	})
}

// checkRestart restarts the controller of package rollout, and checks that the controller creates the object of a new node,
// and writes no other object.
func (f *fleet) checkRestart() {
	f.t.Helper()
	c := f.run()
	f.node("later", "worker", oldConfig)
	f.eventually("later", exists)
	c.stop()
	conflicts := c.requests.answered(http.StatusConflict) // of creations that the cache did not show yet
	assert.Equal(f.t, 1, c.requests.of("create", "spec")-conflicts, "%v", c.requests)
}

// eventuallyEvent waits until the event of a pool or a node exists.
func (f *fleet) eventuallyEvent(reason, message string) {
	f.t.Helper()
	eventually(f.t, func() bool {
		list, err := f.core.CoreV1().Events(metav1.NamespaceDefault).List(f.t.Context(), metav1.ListOptions{})
		require.NoError(f.t, err)
		return slices.ContainsFunc(list.Items, func(e corev1.Event) bool { return e.Reason == reason && strings.HasPrefix(e.Message, message) })
	}, "event %s %q", reason, message)
}

// node creates a Ready node of a pool, with the config as its current and its desired config.
func (f *fleet) node(name, poolName, config string, change ...func(*corev1.Node)) *testNode {
	f.t.Helper()
	return unguardedNodeOn(f.t, f.cluster, name, append([]func(*corev1.Node){func(n *corev1.Node) {
		n.Labels = map[string]string{"node-role.kubernetes.io/" + poolName: ""}
		n.Annotations = map[string]string{annotationPrefix + "currentConfig": config, annotationPrefix + "desiredConfig": config, annotationPrefix + "state": "Done"}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	}}, change...)...)
}

const annotationPrefix = "machineconfiguration.openshift.io/"

// change changes a Node: "desiredConfig=x" sets an annotation, "+infra" adds a role, and "-infra" removes it.
func (f *fleet) change(name string, changes ...string) *corev1.Node {
	f.t.Helper()
	annotations, labels := map[string]any{}, map[string]any{}
	for _, change := range changes {
		key, value, isAnnotation := strings.Cut(change, "=")
		role := "node-role.kubernetes.io/" + change[1:]
		switch {
		case isAnnotation:
			annotations[annotationPrefix+key] = value
		case change[0] == '+':
			labels[role] = ""
		default:
			labels[role] = nil
		}
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations, "labels": labels}})
	require.NoError(f.t, err)
	return f.patchNode(name, string(patch))
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

// eventually waits until the object of a node passes a check. If it does not exist, the check gets nil.
func (f *fleet) eventually(name string, check func(*mcfgv1.MachineConfigNode) bool) {
	f.t.Helper()
	eventually(f.t, func() bool {
		mcn, err := f.nodes().Get(f.t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			mcn, err = nil, nil
		}
		require.NoError(f.t, err)
		return check(mcn)
	}, name)
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
