package e2e

import (
	"context"
	"fmt"
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
	for _, c := range []*cluster.Cluster{standard, withImages.Cluster} {
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
	t      *testing.T
	name   string
	node   *corev1.Node
	config *rest.Config
	admin  *mcfgclientset.Clientset

	imageMode bool // what the node's processes are told
}

func newWorld(t *testing.T, name string) *world {
	t.Helper()
	return worldOn(t, standard, name)
}

func worldOn(t *testing.T, c *cluster.Cluster, name string) *world {
	t.Helper()
	w := &world{t: t, name: name, config: c.Config()}
	var err error
	w.admin, err = mcfgclientset.NewForConfig(w.config)
	require.NoError(t, err)
	core, err := kubernetes.NewForConfig(w.config)
	require.NoError(t, err)
	w.node, err = core.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return w
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

// monitor is a Monitor in a process of its own: its own client, and its own count of requests.
func (w *world) monitor(pool string) (*upgrademonitor.Monitor, *requests) {
	w.t.Helper()
	config, counted := rest.CopyConfig(w.config), &requests{}
	config.Wrap(counted.wrap)
	clientset, err := mcfgclientset.NewForConfig(config)
	require.NoError(w.t, err)
	m, err := upgrademonitor.New(upgrademonitor.Config{
		Client:    clientset,
		NodeName:  w.name,
		Node:      func() (*corev1.Node, error) { return w.node, nil },
		Pool:      func(*corev1.Node) (string, error) { return pool, nil },
		ImageMode: func() bool { return w.imageMode },
		Timeout:   30 * time.Second,
	})
	require.NoError(w.t, err)
	return m, counted
}
