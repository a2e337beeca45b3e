package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgtyped "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// shared is the cluster of all tests that leave it working. They do not run in parallel.
var shared *cluster.Cluster

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	if os.Getenv(abandonEnv) != "" {
		return startAndAbandon()
	}
	err := cluster.Build(context.Background()) // without a limit of time
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	started := time.Now()
	if shared, err = cluster.Start(ctx, cluster.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintf(os.Stderr, "the shared cluster was up after %.1f s\n", time.Since(started).Seconds())
	code := m.Run()
	if err := shared.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func TestListsNodes(t *testing.T) {
	ctx := testContext(t)
	nodes := kubernetes.NewForConfigOrDie(shared.Config()).CoreV1().Nodes()
	_, err := nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, nodes.Delete(ctx, "worker-0", metav1.DeleteOptions{})) }()

	list, err := nodes.List(ctx, metav1.ListOptions{})

	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	require.Equal(t, "worker-0", list.Items[0].Name)
}

func TestCreatesAMachineConfigNodeThroughTheTypedClient(t *testing.T) {
	created := createNode(t, "typed")

	got, err := machineConfigNodes(t, shared.Config()).Get(testContext(t), "typed", metav1.GetOptions{})

	require.NoError(t, err)
	require.Equal(t, created.UID, got.UID)
	require.Equal(t, "rendered-worker-1", got.Spec.ConfigVersion.Desired)
}

func TestRefusesAnInvalidMachineConfigNode(t *testing.T) {
	object := newNode("invalid")
	object.Spec.ConfigVersion.Desired = ""

	_, err := machineConfigNodes(t, shared.Config()).Create(testContext(t), object, metav1.CreateOptions{})

	require.ErrorContains(t, err, "spec.configVersion.desired", "the schema of the CRD is in force")
}

func TestKubectlPrintsTheColumnsOfTheCRD(t *testing.T) {
	createNode(t, "columns")

	table, err := shared.Kubectl(testContext(t), "get", "machineconfignodes", "columns")

	require.NoError(t, err)
	require.Regexp(t, `NAME +POOLNAME +DESIREDCONFIG +CURRENTCONFIG +UPDATED +AGE\ncolumns +worker +rendered-worker-1 `, table)
}

func TestKubectlOfTheServersVersion(t *testing.T) {
	output, err := shared.Kubectl(testContext(t), "version")
	require.NoError(t, err)
	require.Regexp(t, `Client Version: (v1\.\d+\.\d+)\n(.*\n)*Server Version: v1\.`, output)
}

func TestKubectlFailsWithWhatItPrinted(t *testing.T) {
	_, err := shared.Kubectl(testContext(t), "get", "machineconfignodes", "missing")
	require.ErrorContains(t, err, `"missing" not found`)
}

func TestKubeconfigIsForTheOwnerOnly(t *testing.T) {
	info, err := os.Stat(shared.Kubeconfig())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestConfigIsAFreshCopy(t *testing.T) {
	changed := shared.Config()
	require.Negative(t, changed.QPS, "no limit on the request rate")
	changed.Host = "https://elsewhere"
	changed.CAData[0] ^= 0xff

	_, err := machineConfigNodes(t, shared.Config()).List(testContext(t), metav1.ListOptions{})

	require.NoError(t, err)
}

func TestAnonymousHasNoRights(t *testing.T) {
	nodes := machineConfigNodes(t, rest.AnonymousClientConfig(shared.Config()))
	_, err := nodes.List(testContext(t), metav1.ListOptions{})
	require.ErrorContains(t, err, "system:anonymous", "RBAC is in force")
}

func TestAPIServerUsesProcessorTime(t *testing.T) {
	used, err := shared.APIServerCPU()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	require.NoError(t, err)
	require.Greater(t, used, 100*time.Millisecond, "a start costs more than that")
	require.Less(t, used, 10*time.Minute)
}

// testContext ends before the test binary is killed, so that servers are stopped in order.
func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func machineConfigNodes(t *testing.T, config *rest.Config) mcfgtyped.MachineConfigNodeInterface {
	t.Helper()
	client, err := mcfgclient.NewForConfig(config)
	require.NoError(t, err)
	return client.MachineconfigurationV1().MachineConfigNodes()
}

func newNode(name string) *mcfgv1.MachineConfigNode {
	return &mcfgv1.MachineConfigNode{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: mcfgv1.MachineConfigNodeSpec{
			Node:          mcfgv1.MCOObjectReference{Name: name},
			Pool:          mcfgv1.MCOObjectReference{Name: "worker"},
			ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: "rendered-worker-1"},
		},
	}
}

func createNode(t *testing.T, name string) *mcfgv1.MachineConfigNode {
	t.Helper()
	ctx := testContext(t)
	nodes := machineConfigNodes(t, shared.Config())
	created, err := nodes.Create(ctx, newNode(name), metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, nodes.Delete(context.WithoutCancel(ctx), name, metav1.DeleteOptions{}))
	})
	return created
}
