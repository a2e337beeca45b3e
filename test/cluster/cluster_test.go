package cluster_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclient "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfgtyped "github.com/openshift/client-go/machineconfiguration/clientset/versioned/typed/machineconfiguration/v1"
	operatorclient "github.com/openshift/client-go/operator/clientset/versioned"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// shared is the cluster of all tests that leave it working. They do not run in parallel.
var shared *cluster.Cluster

// abandonEnv makes the test binary start a cluster and wait to be killed.
const abandonEnv = "TEST_CLUSTER_ABANDON"

func TestMain(m *testing.M) {
	var err error
	if shared, err = cluster.Start(context.Background(), cluster.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv(abandonEnv) != "" {
		fmt.Println(shared.Kubeconfig())
		select {}
	}
	code := m.Run()
	if err := shared.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func TestAnonymousHasNoRights(t *testing.T) {
	nodes := machineConfigNodes(t, rest.AnonymousClientConfig(shared.Config()))
	_, err := nodes.List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "system:anonymous", "RBAC is in force")
}

func TestKubectl(t *testing.T) {
	createNode(t, "columns")
	table, err := shared.Kubectl(t.Context(), "get", "machineconfignodes", "columns")
	require.NoError(t, err)
	require.Regexp(t, `NAME +POOLNAME +DESIREDCONFIG +CURRENTCONFIG +UPDATED +AGE\ncolumns +worker +rendered-worker-1 `, table)

	_, err = shared.Kubectl(t.Context(), "get", "machineconfignodes", "missing")
	require.ErrorContains(t, err, `"missing" not found`)

	version, err := shared.Kubectl(t.Context(), "version")
	require.NoError(t, err)
	require.Regexp(t, `Client Version: v1\.\d+\.\d+\n(.*\n)*Server Version: v`+regexp.QuoteMeta(cmp.Or(cluster.Version(), "1."))+`\b`, version)
}

func TestInstallCRDChangesTheVariant(t *testing.T) {
	config := shared.Config()
	config.WarningHandler = rest.NoWarnings{} // about the unknown field, which is the point here
	nodes := machineConfigNodes(t, config)
	image := "registry.example/os@sha256:" + mcfgv1.ImageDigestFormat(strings.Repeat("a", 64))
	for i, imageMode := range []bool{false, true, true, false} {
		require.NoError(t, cluster.InstallCRD(t.Context(), shared.Config(), imageMode))
		object := newNode(fmt.Sprintf("variant-%d", i))
		object.Spec.ConfigImage.DesiredImage = image
		created, err := nodes.Create(t.Context(), object, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Equal(t, imageMode, created.Spec.ConfigImage.DesiredImage == image)
	}
}

func TestInstallOtherCRDs(t *testing.T) {
	mcfg, err := mcfgclient.NewForConfig(shared.Config())
	require.NoError(t, err)
	operator, err := operatorclient.NewForConfig(shared.Config())
	require.NoError(t, err)
	for range 2 { // it may be there already
		require.NoError(t, cluster.InstallPoolCRD(t.Context(), shared.Config()))
		_, err = mcfg.MachineconfigurationV1().MachineConfigPools().List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.NoError(t, cluster.InstallConfigurationCRD(t.Context(), shared.Config()))
		_, err = operator.OperatorV1().MachineConfigurations().List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
	}
}

func TestOutages(t *testing.T) {
	for name, outage := range map[string]struct {
		begin, end func() error
		expect     string
	}{
		"stopped":   {shared.StopAPIServer, func() error { return shared.StartAPIServer(t.Context()) }, "connection refused"},
		"frozen":    {shared.PauseAPIServer, shared.ResumeAPIServer, context.DeadlineExceeded.Error()},
		"restarted": {shared.PauseAPIServer, func() error { return shared.RestartAPIServer(t.Context()) }, context.DeadlineExceeded.Error()},
		"no-etcd":   {shared.StopEtcd, func() error { return shared.StartEtcd(t.Context()) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			before := createNode(t, name)
			nodes := machineConfigNodes(t, shared.Config())
			require.NoError(t, outage.begin())
			short, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := nodes.Get(short, name, metav1.GetOptions{})
			require.ErrorContains(t, err, outage.expect)

			require.NoError(t, outage.end())
			require.NoError(t, shared.WaitReady(t.Context()))
			after, err := nodes.Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			require.Equal(t, before, after)
			used, err := shared.APIServerCPU()
			require.NoError(t, err)
			require.Positive(t, used)
		})
	}
}

func TestServersEndWithTheirParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), abandonEnv+"=1")
	stdout, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	kubeconfig, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	dir := filepath.Dir(kubeconfig)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.Equal(t, 2, processes(t, dir))

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())

	require.Eventually(t, func() bool { return processes(t, dir) == 0 }, time.Minute, 10*time.Millisecond)
}

// processes is how many have the folder on their command line.
func processes(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	count := 0
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), dir) {
			count++
		}
	}
	return count
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
	created, err := machineConfigNodes(t, shared.Config()).Create(t.Context(), newNode(name), metav1.CreateOptions{})
	require.NoError(t, err)
	return created
}
