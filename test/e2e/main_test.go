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

// standard is the cluster of this package's tests, with the CRD of standard mode.
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

// world is a node on the cluster, and what the processes on it see.
type world struct {
	t       *testing.T
	cluster *cluster.Cluster
	name    string
	node    *corev1.Node
	config  *rest.Config // of the processes on the node
	admin   *mcfgclientset.Clientset

	imageMode bool // what the node's processes are told
	guarded   bool // they have the token of a Pod on the node
}

func newWorld(t *testing.T, name string) *world {
	t.Helper()
	return worldOn(t, standard, name)
}

func worldOn(t *testing.T, c *cluster.Cluster, name string) *world {
	t.Helper()
	w := freeWorldOn(t, c, name)
	if guardEverything() {
		w.guard()
	}
	return w
}

// freeWorldOn is a node whose processes have an administrator's rights.
func freeWorldOn(t *testing.T, c *cluster.Cluster, name string) *world {
	t.Helper()
	w := &world{t: t, cluster: c, name: name, config: c.Config()}
	var err error
	w.admin, err = mcfgclientset.NewForConfig(w.config)
	require.NoError(t, err)
	core, err := kubernetes.NewForConfig(w.config)
	require.NoError(t, err)
	w.node, err = core.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return w
}

// guardEverything reports whether all tests are to run with the guard in force, and every
// daemon with the token of a Pod on its node: make e2e-guarded.
func guardEverything() bool {
	return os.Getenv("UPGRADEMONITOR_E2E_GUARD") == "1"
}

// guardedWorldOn is a node whose processes are kept to its object, whatever runs the tests.
func guardedWorldOn(t *testing.T, c *cluster.Cluster, name string) *world {
	t.Helper()
	w := freeWorldOn(t, c, name)
	w.guard()
	return w
}

// guard gives the processes on the node what a daemon has in place of an administrator's
// rights. The admin stays one.
func (w *world) guard() {
	w.t.Helper()
	needGuards(w.t, w.cluster)
	w.guarded = true
	w.config = newIdentity(w.t, w.cluster, fullGuard).podToken(w.name)
}

// renew deletes the Node and makes it anew, with another UID. A daemon gets another token.
func (w *world) renew() {
	w.t.Helper()
	core, err := kubernetes.NewForConfig(w.cluster.Config())
	require.NoError(w.t, err)
	require.NoError(w.t, core.CoreV1().Nodes().Delete(w.t.Context(), w.name, metav1.DeleteOptions{}))
	anew, err := core.CoreV1().Nodes().Create(w.t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: w.name}}, metav1.CreateOptions{})
	require.NoError(w.t, err)
	anew.Annotations, w.node = w.node.Annotations, anew
	if w.guarded {
		w.guard()
	}
}

// annotate changes what the node says of its configs; "" is an annotation that is absent.
func (w *world) annotate(current, desired string) {
	w.annotateImages(current, desired, "", "")
}

// annotateImages changes what the node says of its configs and images.
func (w *world) annotateImages(current, desired, currentImage, desiredImage string) {
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

// build makes a Monitor in a process of its own: its own client, over the transports given,
// the nearest to the server first.
func (w *world) build(change func(*upgrademonitor.Config), transports ...func(http.RoundTripper) http.RoundTripper) *upgrademonitor.Monitor {
	w.t.Helper()
	config := rest.CopyConfig(w.config)
	for _, transport := range transports {
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

// monitor is a Monitor of a pool, and the count of its requests.
func (w *world) monitor(pool string) (*upgrademonitor.Monitor, *requests) {
	w.t.Helper()
	counted := &requests{}
	return w.build(func(c *upgrademonitor.Config) {
		c.Pool = func(*corev1.Node) (string, error) { return pool, nil }
		c.Timeout = 30 * time.Second
	}, counted.wrap), counted
}
