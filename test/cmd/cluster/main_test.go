package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// TestMain runs the program if the arguments are --serve, because the program starts its own binary with --serve.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "--serve" {
		main()
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

const otherObject = `{"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfigNode", "metadata": {"name": "other"},
"spec": {"node": {"name": "other"}, "pool": {"name": "worker"}, "configVersion": {"desired": "rendered-1"}}}`

// up finds a cluster that is already running. down stops the cluster, and a second down does nothing.
func TestASecondUpFindsTheClusterAndDownStopsIt(t *testing.T) {
	s := session{t.TempDir()}
	var stderr bytes.Buffer
	t.Cleanup(func() { _ = s.down(&stderr) })
	var outputs [2]bytes.Buffer
	for i := range outputs {
		require.NoError(t, s.up(t.Context(), &outputs[i], &stderr))
	}
	require.Equal(t, "export KUBECONFIG=\""+s.path("kubeconfig")+"\"\n", outputs[0].String())
	require.Equal(t, outputs[0].String(), outputs[1].String())
	require.ErrorContains(t, s.serve(t.Context()), "already running")
	config, err := clientcmd.BuildConfigFromFlags("", s.path("kubeconfig"))
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	_, err = client.Discovery().ServerVersion()
	require.NoError(t, err)
	kubectl, err := cluster.Binary("kubectl")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		create := exec.CommandContext(t.Context(), kubectl, "--kubeconfig", s.path("daemon.kubeconfig"), "create", "--dry-run=server", "-f", "-")
		create.Stdin = strings.NewReader(otherObject)
		out, _ := create.CombinedOutput()
		return strings.Contains(string(out), "can only be done from the MCN's owner node")
	}, time.Minute, 100*time.Millisecond, "the policies apply to the daemon of worker-0")

	stderr.Reset()
	require.NoError(t, s.down(&stderr))
	_, err = client.Discovery().ServerVersion()
	require.Error(t, err)
	require.NoFileExists(t, s.path("kubeconfig"))
	require.NoError(t, s.down(&stderr))
	require.Equal(t, "the cluster is stopped\nno cluster is running\n", stderr.String())
}
