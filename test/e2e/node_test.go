package e2e

import (
	"fmt"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
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

// testNode is a node of a cluster, and the processes that run on it.
type testNode struct {
	t       *testing.T
	cluster *cluster.Cluster
	name    string
	node    *corev1.Node
	admin   nodes // an administrator's client

	// These fields configure the clients and Monitors of the processes on the node.
	config    *rest.Config
	logger    klog.Logger
	imageMode bool
}

// newTestNode returns a node whose processes have the permissions of a daemon under both policies.
func newTestNode(t *testing.T, name string) *testNode {
	t.Helper()
	w := unguardedNodeOn(t, standard, name)
	w.guard()
	return w
}

func newImageModeNode(t *testing.T, name string) *testNode {
	t.Helper()
	w := unguardedNodeOn(t, withImages.get(t), name)
	w.imageMode = true
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

// guard installs the guards, and gives the processes on the node the token of a daemon.
func (w *testNode) guard() {
	w.t.Helper()
	installGuards(w.t, w.cluster)
	w.config = newIdentity(w.t, w.cluster, fullGuard).podToken(w.name)
}

// version is the config and the image that a node runs, or desires.
type version struct{ config, image string }

// annotate is annotateVersions without images.
func (w *testNode) annotate(current, desired string) {
	w.annotateVersions(version{config: current}, version{config: desired})
}

// annotateVersions sets the annotations of the Node that the Monitors see. The value "" removes an annotation.
func (w *testNode) annotateVersions(current, desired version) {
	w.node = w.node.DeepCopy()
	w.node.Annotations = map[string]string{}
	for annotation, value := range map[string]string{
		annotationPrefix + "currentConfig": current.config,
		annotationPrefix + "desiredConfig": desired.config,
		annotationPrefix + "currentImage":  current.image,
		annotationPrefix + "desiredImage":  desired.image,
	} {
		if value != "" {
			w.node.Annotations[annotation] = value
		}
	}
}

// annotateNode sets an annotation of the Node on the API server.
func (w *testNode) annotateNode(name, value string) {
	w.t.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, annotationPrefix+name, value)
	var err error
	w.node, err = kubeClient(w.t, w.cluster.Config()).CoreV1().Nodes().Patch(w.t.Context(), w.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(w.t, err)
}

// monitor returns a Monitor with its own client, as in a separate process. The timeout is long, because
// the machine may be busy.
func (w *testNode) monitor(pool string, change ...func(*upgrademonitor.Config)) (*upgrademonitor.Monitor, *transport) {
	w.t.Helper()
	transport := &transport{}
	config := rest.CopyConfig(w.config)
	config.Wrap(transport.wrap)
	c := upgrademonitor.Config{
		Client:    mcfgClient(w.t, config),
		NodeName:  w.name,
		Node:      func() (*corev1.Node, error) { return w.node, nil },
		Pool:      func(*corev1.Node) (string, error) { return pool, nil },
		ImageMode: func() bool { return w.imageMode },
		Timeout:   30 * time.Second,
	}
	for _, f := range change {
		f(&c)
	}
	m, err := upgrademonitor.New(klog.NewContext(w.t.Context(), w.logger), c)
	require.NoError(w.t, err)
	return m, transport
}

// informed returns a Monitor with the Lister of a running informer. caughtUp waits until the Lister has the
// current version of the object.
func (w *testNode) informed() (m *upgrademonitor.Monitor, requests *transport, caughtUp func()) {
	w.t.Helper()
	lister, caughtUp := w.lister()
	m, requests = w.monitor("master", func(c *upgrademonitor.Config) { c.Lister = lister })
	return m, requests, caughtUp
}

// lister returns the Lister of a running informer of the node's object. caughtUp waits until the Lister has its current
// version.
func (w *testNode) lister() (lister mcfglisters.MachineConfigNodeLister, caughtUp func()) {
	w.t.Helper()
	factory := mcfginformers.NewSharedInformerFactoryWithOptions(mcfgClient(w.t, w.config), 0,
		mcfginformers.WithTweakListOptions(func(o *metav1.ListOptions) { o.FieldSelector = only(w.name).FieldSelector }))
	lister = factory.Machineconfiguration().V1().MachineConfigNodes().Lister()
	factory.Start(w.t.Context().Done())
	factory.WaitForCacheSync(w.t.Context().Done())
	w.t.Cleanup(factory.Shutdown)
	return lister, func() {
		w.t.Helper()
		now := w.object().ResourceVersion
		eventually(w.t, func() bool {
			object, err := lister.Get(w.name)
			return err == nil && object.ResourceVersion == now
		}, "the informer has version %s", now)
	}
}

// isPending reports whether a report of the Monitor is pending.
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

// mergeStatus patches the status as another client.
func (w *testNode) mergeStatus(patch string) {
	w.t.Helper()
	_, err := w.admin.Patch(w.t.Context(), w.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "someone"}, "status")
	require.NoError(w.t, err)
}

// resetObject deletes the node's object and, if exists is true, creates it again without conditions. It returns the new
// object, or the object that a client may create.
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
	_, err := w.admin.Create(w.t.Context(), object, metav1.CreateOptions{})
	require.NoError(w.t, err)
	w.mergeStatus(`{"status":{"configVersion":{"current":"rendered-a","desired":"rendered-a"}}}`)
	return w.object()
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
