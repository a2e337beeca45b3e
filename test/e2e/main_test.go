package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// standard is the cluster of the tests of this package, with the CRD of standard mode.
var standard *cluster.Cluster

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if standard, err = cluster.Start(context.Background(), cluster.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	for _, c := range []*cluster.Cluster{standard, withImages.Cluster, withOperator.Cluster} {
		if c == nil {
			continue
		}
		if err := c.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return code
}

// testNode is a node of a cluster, with what its processes know.
type testNode struct {
	t       *testing.T
	cluster *cluster.Cluster
	name    string
	node    *corev1.Node
	config  *rest.Config // of the processes on the node
	admin   *mcfgclientset.Clientset

	imageMode bool // of the processes on the node
	guarded   bool // its processes have the token of a Pod on the node
}

func newTestNode(t *testing.T, name string) *testNode {
	t.Helper()
	return testNodeOn(t, standard, name)
}

func testNodeOn(t *testing.T, c *cluster.Cluster, name string) *testNode {
	t.Helper()
	w := unguardedNodeOn(t, c, name)
	if guardEverything() {
		w.guard()
	}
	return w
}

// unguardedNodeOn returns a node whose processes have an administrator's permissions.
func unguardedNodeOn(t *testing.T, c *cluster.Cluster, name string) *testNode {
	t.Helper()
	w := &testNode{t: t, cluster: c, name: name, config: c.Config()}
	var err error
	w.admin, err = mcfgclientset.NewForConfig(w.config)
	require.NoError(t, err)
	core, err := kubernetes.NewForConfig(w.config)
	require.NoError(t, err)
	w.node, err = core.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return w
}

// guardEverything reports whether the guard is in force in all tests, and every daemon has the
// token of a Pod on its node: make e2e-guarded.
func guardEverything() bool {
	return os.Getenv("UPGRADEMONITOR_E2E_GUARD") == "1"
}

// sameWhenGuarded skips a test that is the same with guardEverything: make e2e runs it.
func sameWhenGuarded(t *testing.T) {
	t.Helper()
	if guardEverything() {
		t.Skip("the same with UPGRADEMONITOR_E2E_GUARD as without")
	}
}

// guardedNodeOn returns a node whose processes are restricted to its object in any case.
func guardedNodeOn(t *testing.T, c *cluster.Cluster, name string) *testNode {
	t.Helper()
	sameWhenGuarded(t)
	w := unguardedNodeOn(t, c, name)
	w.guard()
	return w
}

// guard gives the processes on the node the permissions of a daemon. The field admin stays an
// administrator.
func (w *testNode) guard() {
	w.t.Helper()
	installGuards(w.t, w.cluster)
	w.guarded = true
	w.config = newIdentity(w.t, w.cluster, fullGuard).podToken(w.name)
}

// recreateNode deletes the Node and creates it again, with another UID. A daemon gets another token.
func (w *testNode) recreateNode() {
	w.t.Helper()
	core, err := kubernetes.NewForConfig(w.cluster.Config())
	require.NoError(w.t, err)
	require.NoError(w.t, core.CoreV1().Nodes().Delete(w.t.Context(), w.name, metav1.DeleteOptions{}))
	recreated, err := core.CoreV1().Nodes().Create(w.t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: w.name}}, metav1.CreateOptions{})
	require.NoError(w.t, err)
	recreated.Annotations, w.node = w.node.Annotations, recreated
	if w.guarded {
		w.guard()
	}
}

// annotate sets the node's annotations of configs; "" removes one.
func (w *testNode) annotate(current, desired string) {
	w.annotateImages(current, desired, "", "")
}

// annotateImages sets the node's annotations of configs and images.
func (w *testNode) annotateImages(current, desired, currentImage, desiredImage string) {
	node := w.node.DeepCopy()
	node.Annotations = map[string]string{}
	for annotation, value := range map[string]string{
		upgrademonitor.CurrentConfigAnnotation: current,
		upgrademonitor.DesiredConfigAnnotation: desired,
		upgrademonitor.CurrentImageAnnotation:  currentImage,
		upgrademonitor.DesiredImageAnnotation:  desiredImage,
	} {
		if value != "" {
			node.Annotations[annotation] = value
		}
	}
	w.node = node
}

// build returns a Monitor as in a separate process, with its own client over the given
// transports, the last of which is called first.
func (w *testNode) build(change func(*upgrademonitor.Config), transports ...func(http.RoundTripper) http.RoundTripper) *upgrademonitor.Monitor {
	w.t.Helper()
	config := rest.CopyConfig(w.config)
	for _, transport := range append(transports, requirePreconditions(w.t)) {
		config.Wrap(transport)
	}
	clientset, err := mcfgclientset.NewForConfig(config)
	require.NoError(w.t, err)
	c := upgrademonitor.Config{
		Client:    clientset,
		NodeName:  w.name,
		Node:      func() (*corev1.Node, error) { return w.node, nil },
		Pool:      func(*corev1.Node) (string, error) { return "master", nil },
		ImageMode: func() bool { return w.imageMode },
	}
	change(&c)
	m, err := upgrademonitor.New(c)
	require.NoError(w.t, err)
	return m
}

// monitor returns a Monitor of a pool, and the counter of its requests.
func (w *testNode) monitor(pool string) (*upgrademonitor.Monitor, *requests) {
	w.t.Helper()
	counted := &requests{}
	return w.build(func(c *upgrademonitor.Config) {
		c.Pool = func(*corev1.Node) (string, error) { return pool, nil }
		c.Timeout = 30 * time.Second
	}, counted.wrap), counted
}
