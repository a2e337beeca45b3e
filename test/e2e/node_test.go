package e2e

import (
	"context"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// testNode is a node of a cluster, with what its processes know.
type testNode struct {
	t       *testing.T
	cluster *cluster.Cluster
	name    string
	node    *corev1.Node
	config  *rest.Config // of the processes on the node
	admin   nodes        // an administrator's client

	logger    klog.Logger // of the processes on the node
	imageMode bool        // of the processes on the node
	guarded   bool        // its processes have the token of a Pod on the node
}

func newTestNode(t *testing.T, name string) *testNode {
	t.Helper()
	return testNodeOn(t, standard, name)
}

func newImageModeNode(t *testing.T, name string) *testNode {
	t.Helper()
	w := testNodeOn(t, imageCluster(t), name)
	w.imageMode = true
	return w
}

func testNodeOn(t *testing.T, c *cluster.Cluster, name string) *testNode {
	t.Helper()
	w := unguardedNodeOn(t, c, name)
	if guardEverything() {
		w.guard()
	}
	return w
}

// guardedNodeOn returns a node whose processes are restricted to its object in any case.
func guardedNodeOn(t *testing.T, c *cluster.Cluster, name string) *testNode {
	t.Helper()
	sameWhenGuarded(t)
	w := unguardedNodeOn(t, c, name)
	w.guard()
	return w
}

// unguardedNodeOn returns a node whose processes have an administrator's permissions.
func unguardedNodeOn(t *testing.T, c *cluster.Cluster, name string, change ...func(*corev1.Node)) *testNode {
	t.Helper()
	w := &testNode{t: t, cluster: c, name: name, config: c.Config(), admin: nodesOf(t, c.Config())}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, f := range change {
		f(node)
	}
	var err error
	w.node, err = kubeClient(t, w.config).CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
	require.NoError(t, err)
	return w
}

// guard gives the processes on the node the permissions of a daemon.
func (w *testNode) guard() {
	w.t.Helper()
	installGuards(w.t, w.cluster)
	w.guarded = true
	w.config = newIdentity(w.t, w.cluster, fullGuard).podToken(w.name)
}

// recreateNode deletes the Node and creates it again, with another UID. A daemon gets another token.
func (w *testNode) recreateNode() {
	w.t.Helper()
	client := kubeClient(w.t, w.cluster.Config()).CoreV1().Nodes()
	require.NoError(w.t, client.Delete(w.t.Context(), w.name, metav1.DeleteOptions{}))
	recreated, err := client.Create(w.t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: w.name}}, metav1.CreateOptions{})
	require.NoError(w.t, err)
	recreated.Annotations, w.node = w.node.Annotations, recreated
	if w.guarded {
		w.guard()
	}
}

// version is what a node runs, or is to run.
type version struct{ config, image string }

// annotate sets the node's annotations of configs, and removes those of images.
func (w *testNode) annotate(current, desired string) {
	w.annotateVersions(version{config: current}, version{config: desired})
}

// annotateVersions sets the node's annotations; "" removes one.
func (w *testNode) annotateVersions(current, desired version) {
	node := w.node.DeepCopy()
	node.Annotations = map[string]string{}
	for annotation, value := range map[string]string{
		upgrademonitor.CurrentConfigAnnotation: current.config,
		upgrademonitor.DesiredConfigAnnotation: desired.config,
		upgrademonitor.CurrentImageAnnotation:  current.image,
		upgrademonitor.DesiredImageAnnotation:  desired.image,
	} {
		if value != "" {
			node.Annotations[annotation] = value
		}
	}
	w.node = node
}

// build returns a Monitor as in a separate process, with a client of its own.
func (w *testNode) build(change func(*upgrademonitor.Config)) (*upgrademonitor.Monitor, *transport) {
	w.t.Helper()
	transport := &transport{}
	config := rest.CopyConfig(w.config)
	config.Wrap(transport.wrap)
	config.Wrap(requirePreconditions(w.t))
	c := upgrademonitor.Config{
		Client:    mcfgClient(w.t, config),
		NodeName:  w.name,
		Node:      func() (*corev1.Node, error) { return w.node, nil },
		Pool:      func(*corev1.Node) (string, error) { return "master", nil },
		ImageMode: func() bool { return w.imageMode },
	}
	change(&c)
	m, err := upgrademonitor.New(klog.NewContext(w.t.Context(), w.logger), c)
	require.NoError(w.t, err)
	return m, transport
}

// monitor returns a Monitor of a pool, whose timeout suffices on a loaded machine.
func (w *testNode) monitor(pool string) (*upgrademonitor.Monitor, *transport) {
	w.t.Helper()
	return w.build(func(c *upgrademonitor.Config) {
		c.Pool = func(*corev1.Node) (string, error) { return pool, nil }
		c.Timeout = 30 * time.Second
	})
}

// informed returns a Monitor with the Lister of a running informer.
func (w *testNode) informed(ctx context.Context) (m *upgrademonitor.Monitor, requests *transport, caughtUp func(resourceVersion string)) {
	w.t.Helper()
	factory := mcfginformers.NewSharedInformerFactoryWithOptions(mcfgClient(w.t, w.config), 0,
		mcfginformers.WithTweakListOptions(func(o *metav1.ListOptions) { o.FieldSelector = only(w.name).FieldSelector }))
	lister := factory.Machineconfiguration().V1().MachineConfigNodes().Lister()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	w.t.Cleanup(factory.Shutdown)

	m, requests = w.build(func(c *upgrademonitor.Config) { c.Lister = lister })
	return m, requests, func(resourceVersion string) {
		w.t.Helper()
		eventually(w.t, func() bool {
			object, err := lister.Get(w.name)
			return err == nil && object.ResourceVersion == resourceVersion
		}, "the informer has version %s", resourceVersion)
	}
}

// isPending reports whether something that a Monitor has accepted is not written yet.
func isPending(m *upgrademonitor.Monitor) bool {
	n, _ := m.Pending()
	return n > 0
}

// object returns the node's MachineConfigNode.
func (w *testNode) object() *mcfgv1.MachineConfigNode {
	w.t.Helper()
	object, err := w.admin.Get(w.t.Context(), w.name, metav1.GetOptions{})
	require.NoError(w.t, err)
	return object
}

func (w *testNode) condition(p phases.Phase) metav1.Condition {
	w.t.Helper()
	c, ok := statusOf(w.object().Status.Conditions, string(p))
	require.True(w.t, ok, p)
	return c
}

func (w *testNode) status(p phases.Phase) metav1.ConditionStatus {
	w.t.Helper()
	return w.condition(p).Status
}

func (w *testNode) owner() metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: w.name, UID: w.node.UID}
}

// delete deletes the object, as an administrator.
func (w *testNode) delete() {
	w.t.Helper()
	require.NoError(w.t, w.admin.Delete(w.t.Context(), w.name, metav1.DeleteOptions{}))
}

// mergeStatus writes the status as another client.
func (w *testNode) mergeStatus(patch string) {
	w.t.Helper()
	_, err := w.admin.Patch(w.t.Context(), w.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "someone"}, "status")
	require.NoError(w.t, err)
}

// resetObject recreates the node's object without conditions, or deletes it, and returns it.
func (w *testNode) resetObject(exists bool) *mcfgv1.MachineConfigNode {
	w.t.Helper()
	if err := w.admin.Delete(w.t.Context(), w.name, metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
		require.NoError(w.t, err)
	}
	object := bareObject(w.name)
	object.OwnerReferences = []metav1.OwnerReference{w.owner()}
	if !exists {
		return object
	}
	object, err := w.admin.Create(w.t.Context(), object, metav1.CreateOptions{})
	require.NoError(w.t, err)
	object.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: "rendered-a", Desired: "rendered-a"}
	object, err = w.admin.UpdateStatus(w.t.Context(), object, metav1.UpdateOptions{})
	require.NoError(w.t, err)
	return object
}

// bareObject returns a valid object without a status.
func bareObject(name string) *mcfgv1.MachineConfigNode {
	return &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: mcfgv1.MachineConfigNodeSpec{
			Node:          mcfgv1.MCOObjectReference{Name: name},
			Pool:          mcfgv1.MCOObjectReference{Name: "worker"},
			ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: "rendered-a"},
		},
	}
}
