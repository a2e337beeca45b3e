package cluster_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// abandonEnv makes the test binary start a cluster and wait to be killed.
const abandonEnv = "TEST_CLUSTER_ABANDON"

func TestStopLeavesNoProcessAndNoFolder(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	c, err := cluster.Start(ctx, cluster.Options{})
	require.NoError(t, err)
	pids := []int{c.APIServerPID(), c.EtcdPID()}
	for _, pid := range pids {
		require.True(t, exists(pid))
	}
	require.NoError(t, c.PauseAPIServer(), "a paused server is stopped too")

	require.NoError(t, c.Stop())

	for _, pid := range pids {
		require.False(t, exists(pid), "process %d", pid)
	}
	require.NoDirExists(t, filepath.Dir(c.Kubeconfig()))
	require.NoError(t, c.Stop(), "a second Stop does nothing")
	require.ErrorIs(t, c.StartAPIServer(ctx), cluster.ErrStopped)
	require.ErrorIs(t, c.StartEtcd(ctx), cluster.ErrStopped)
}

func TestServersDieWithTheirParent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux kills the children of a process that is killed")
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), abandonEnv+"="+t.TempDir())
	parent.Stderr = os.Stderr
	stdout, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	var api, etcd int
	_, err = fmt.Sscan(line, &api, &etcd)
	require.NoError(t, err)
	require.True(t, exists(api) && exists(etcd))

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())

	gone := func() bool { return !exists(api) && !exists(etcd) }
	require.Eventually(t, gone, 10*time.Second, 10*time.Millisecond)
}

func startAndAbandon() int {
	c, err := cluster.Start(context.Background(), cluster.Options{Dir: os.Getenv(abandonEnv)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(c.APIServerPID(), c.EtcdPID())
	select {}
}

func TestStartThatFailsShowsTheLogAndCleansUp(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)

	_, err := cluster.Start(testContext(t), cluster.Options{APIServerArgs: []string{"--no-such-flag"}})

	var startError *cluster.StartError
	require.ErrorAs(t, err, &startError)
	require.Equal(t, "kube-apiserver", startError.Server)
	require.Contains(t, startError.Tail, "unknown flag: --no-such-flag")
	require.ErrorContains(t, err, startError.Tail)
	requireEmpty(t, temp)
}

func TestStartEndsWithItsContext(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithTimeout(testContext(t), time.Second)
	defer cancel()

	_, err := cluster.Start(ctx, cluster.Options{})

	require.ErrorIs(t, err, context.DeadlineExceeded)
	requireEmpty(t, temp)
}

func TestStopTellsOfAServerThatDied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := cluster.Start(testContext(t), cluster.Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(c.EtcdPID(), syscall.SIGKILL))
	require.Eventually(t, func() bool { return c.EtcdPID() == 0 }, 10*time.Second, 10*time.Millisecond)

	err = c.Stop()

	require.ErrorContains(t, err, "etcd has exited: signal: killed")
	require.FileExists(t, c.Kubeconfig(), "a folder that was given stays")
}

func TestBinaryOfAnUnknownName(t *testing.T) {
	_, err := cluster.Binary(testContext(t), "kubelet")
	require.ErrorContains(t, err, "etcd, kube-apiserver, kubectl")
}

// exists is false for a process that has ended, even if its parent has not waited for it yet.
func exists(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func requireEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}
