package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// withOperator is the cluster of the tests of the operator's side, as a controller syncs the nodes
// of other tests too. It has the CRD of pools, and the operator's roles.
var withOperator struct {
	once sync.Once
	*cluster.Cluster
	err error
}

func operatorCluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	sameWhenGuarded(t)
	withOperator.once.Do(func() {
		ctx := context.Background()
		withOperator.Cluster, withOperator.err = cluster.Start(ctx, cluster.Options{ImageMode: true})
		if withOperator.err == nil {
			withOperator.err = cluster.InstallPoolCRD(ctx, withOperator.Config())
		}
		if withOperator.err == nil {
			withOperator.err = installOperator(ctx, withOperator.Cluster)
		}
	})
	require.NoError(t, withOperator.err)
	return withOperator.Cluster
}

// installOperator grants the operator's service account its roles, and no other permissions.
func installOperator(ctx context.Context, c *cluster.Cluster) error {
	_, err := c.Kubectl(ctx, "apply", "-f", manifest("operator"))
	return err
}

// asOperator impersonates the operator's service account.
func asOperator(admin *rest.Config) *rest.Config {
	return impersonate(admin, scope.DefaultOperatorNamespace, scope.DefaultOperatorServiceAccount, nil)
}

// fleet is the nodes of a test, and the rollout controller that syncs them.
type fleet struct {
	t       *testing.T
	cluster *cluster.Cluster
	core    *kubernetes.Clientset // an administrator's
	mcfg    *mcfgclientset.Clientset

	requests *requests // the controller's
	faults   *faults
	recorder *record.FakeRecorder
	stop     func()
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t, cluster: operatorCluster(t), recorder: record.NewFakeRecorder(100)}
	var err error
	f.core, err = kubernetes.NewForConfig(f.cluster.Config())
	require.NoError(t, err)
	f.mcfg, err = mcfgclientset.NewForConfig(f.cluster.Config())
	require.NoError(t, err)
	for _, name := range []string{"master", "worker", "infra", "gpu"} {
		f.pool(name)
	}
	t.Cleanup(f.clear)
	return f
}

func (f *fleet) pool(name string) {
	f.t.Helper()
	_, err := f.mcfg.MachineconfigurationV1().MachineConfigPools().Create(f.t.Context(), &mcfgv1.MachineConfigPool{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       mcfgv1.MachineConfigPoolSpec{NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"node-role.kubernetes.io/" + name: ""}}},
	}, metav1.CreateOptions{})
	require.NoError(f.t, err)
}

// clear deletes all objects before the next test.
func (f *fleet) clear() {
	ctx, all := context.WithoutCancel(f.t.Context()), metav1.ListOptions{}
	assert.NoError(f.t, f.core.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, all))
	assert.NoError(f.t, f.mcfg.MachineconfigurationV1().MachineConfigNodes().DeleteCollection(ctx, metav1.DeleteOptions{}, all))
	assert.NoError(f.t, f.mcfg.MachineconfigurationV1().MachineConfigPools().DeleteCollection(ctx, metav1.DeleteOptions{}, all))
}

// run starts a controller as the operator's service account, which has only the permissions that
// the library describes.
func (f *fleet) run(change ...func(*rollout.Config)) {
	f.t.Helper()
	f.runOver(nil, change...)
}

// runOver is run with a transport of the test.
func (f *fleet) runOver(transport func(http.RoundTripper) http.RoundTripper, change ...func(*rollout.Config)) {
	f.t.Helper()
	config := asOperator(f.cluster.Config())
	config.QPS = -1
	f.requests, f.faults = &requests{}, &faults{}
	config.Wrap(f.faults.wrap)
	config.Wrap(f.requests.wrap)
	if transport != nil {
		config.Wrap(transport)
	}
	core, err := kubernetes.NewForConfig(config)
	require.NoError(f.t, err)
	mcfg, err := mcfgclientset.NewForConfig(config)
	require.NoError(f.t, err)

	nodes := informers.NewSharedInformerFactoryWithOptions(core, 0, informers.WithTransform(pool.Trim))
	objects := mcfginformers.NewSharedInformerFactoryWithOptions(mcfg, 0, mcfginformers.WithTransform(pool.Trim))
	c := rollout.Config{
		Client:             mcfg,
		KubeClient:         core,
		Nodes:              nodes.Core().V1().Nodes(),
		Pools:              objects.Machineconfiguration().V1().MachineConfigPools(),
		MachineConfigNodes: objects.Machineconfiguration().V1().MachineConfigNodes(),
		Recorder:           f.recorder,
		Timeout:            2 * time.Second,
		OrphanGrace:        time.Second,
	}
	for _, change := range change {
		change(&c)
	}
	controller, err := rollout.New(c)
	require.NoError(f.t, err)
	ctx, cancel := context.WithCancel(f.t.Context())
	nodes.Start(ctx.Done())
	objects.Start(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(f.t, controller.Run(ctx, 4)) })
	f.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		nodes.Shutdown()
		objects.Shutdown()
	})
	f.t.Cleanup(f.stop)
}

// node creates a node of a pool, with a config that is current and desired.
func (f *fleet) node(name, poolName, config string, change ...func(*corev1.Node)) *corev1.Node {
	f.t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:   name,
		Labels: map[string]string{"node-role.kubernetes.io/" + poolName: ""},
		Annotations: map[string]string{
			upgrademonitor.CurrentConfigAnnotation: config,
			upgrademonitor.DesiredConfigAnnotation: config,
		},
	}}
	for _, change := range change {
		change(node)
	}
	created, err := f.core.CoreV1().Nodes().Create(f.t.Context(), node, metav1.CreateOptions{})
	require.NoError(f.t, err)
	if node.Status.Phase != "" {
		created.Status.Phase = node.Status.Phase
		created, err = f.core.CoreV1().Nodes().UpdateStatus(f.t.Context(), created, metav1.UpdateOptions{})
		require.NoError(f.t, err)
	}
	return created
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
	node, err := f.core.CoreV1().Nodes().Patch(f.t.Context(), name, types.MergePatchType,
		[]byte(`{"metadata":{`+strings.Join(parts, ",")+`}}`), metav1.PatchOptions{})
	require.NoError(f.t, err)
	return node
}

// object returns the object of a node, or nil.
func (f *fleet) object(name string) *mcfgv1.MachineConfigNode {
	f.t.Helper()
	mcn, err := f.mcfg.MachineconfigurationV1().MachineConfigNodes().Get(f.t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(f.t, err)
	return mcn
}

// eventually waits until the object of a node passes a check.
func (f *fleet) eventually(name string, check func(*mcfgv1.MachineConfigNode) bool) *mcfgv1.MachineConfigNode {
	f.t.Helper()
	var last *mcfgv1.MachineConfigNode
	require.Eventually(f.t, func() bool {
		last = f.object(name)
		return check(last)
	}, 60*time.Second, 20*time.Millisecond, name)
	return last
}

func exists(mcn *mcfgv1.MachineConfigNode) bool { return mcn != nil }

func hasSpec(poolName, desired string) func(*mcfgv1.MachineConfigNode) bool {
	return func(mcn *mcfgv1.MachineConfigNode) bool {
		return mcn != nil && mcn.Spec.Pool.Name == poolName && mcn.Spec.ConfigVersion.Desired == desired
	}
}

// daemon returns a Monitor of a node, the view of the node that it has, and its requests.
func (f *fleet) daemon(node *corev1.Node, imageMode bool) (*upgrademonitor.Monitor, *view, *requests) {
	f.t.Helper()
	counted, v := &requests{}, &view{node: node}
	config := rest.CopyConfig(f.cluster.Config())
	config.Wrap(counted.wrap)
	config.Wrap(requirePreconditions(f.t))
	clientset, err := mcfgclientset.NewForConfig(config)
	require.NoError(f.t, err)
	monitor, err := upgrademonitor.New(upgrademonitor.Config{
		Client: clientset, NodeName: node.Name, Node: v.get,
		Pool:      func(*corev1.Node) (string, error) { return "worker", nil },
		ImageMode: func() bool { return imageMode },
		Timeout:   30 * time.Second,
	})
	require.NoError(f.t, err)
	return monitor, v, counted
}

// view is a daemon's view of its node.
type view struct {
	mu   sync.Mutex
	node *corev1.Node
}

func (v *view) get() (*corev1.Node, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.node, nil
}

func (v *view) set(node *corev1.Node) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.node = node
}
