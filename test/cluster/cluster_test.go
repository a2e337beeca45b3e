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

	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// abandoned is an environment variable that makes the test binary start a cluster, and wait until it is killed.
const abandoned = "TEST_CLUSTER_ABANDONED"

func TestMain(m *testing.M) {
	if os.Getenv(abandoned) == "" {
		os.Exit(m.Run())
	}
	c, err := cluster.Start(context.Background(), cluster.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(c.Kubeconfig())
	select {}
}

// The environment variable K8S selects the version of the server, and kubectl can read from it. Stop also ends a paused
// server.
func TestKubectlReachesAServerOfTheSelectedVersion(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{})
	require.NoError(t, err)
	dir := filepath.Dir(c.Kubeconfig())
	t.Cleanup(func() {
		require.NoError(t, c.PauseAPIServer())
		require.NoError(t, c.Stop())
		require.Zero(t, processes(t, dir))
	})
	version, err := c.Kubectl(t.Context(), "version")
	require.NoError(t, err)
	require.Regexp(t, `Server Version: v`+regexp.QuoteMeta(cmp.Or(cluster.Version(), "1."))+`\b`, version)
	_, err = c.Kubectl(t.Context(), "get", "machineconfignodes", "missing")
	require.ErrorContains(t, err, `"missing" not found`)
}

func TestServersEndWithTheirParentProcess(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), abandoned+"=1")
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

// processes returns how many processes have the folder on their command line.
func processes(t *testing.T, dir string) (count int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), dir) {
			count++
		}
	}
	return count
}
