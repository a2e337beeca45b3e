package cluster

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestUpReplacesAClusterThatIsNotWhole(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	defer func() {
		ran, err := Down(context.WithoutCancel(ctx), dir)
		require.NoError(t, err)
		require.True(t, ran)
	}()
	first, err := Up(ctx, Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(first.APIServerPID(), syscall.SIGKILL))
	require.Eventually(t, func() bool { return first.APIServerPID() == 0 }, 10*time.Second, 10*time.Millisecond)

	second, err := Up(ctx, Options{Dir: dir})
	require.NoError(t, err)
	require.Zero(t, first.EtcdPID(), "the rest of the one whose API server had died is gone")
	require.NoError(t, second.WaitReady(ctx))

	// As a process leaves it that is killed between the start of the API server and the CRD.
	second.complete = false
	require.NoError(t, second.record())
	third, err := Up(ctx, Options{Dir: dir})
	require.NoError(t, err)
	require.Zero(t, second.APIServerPID())
	require.Zero(t, second.EtcdPID())
	require.NotZero(t, third.APIServerPID())
}

func TestUpThatIsCanceledLeavesNothingRunning(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()

	_, err := Up(ctx, Options{Dir: dir})

	require.ErrorIs(t, err, context.DeadlineExceeded)
	ran, err := Down(t.Context(), dir)
	require.NoError(t, err)
	require.False(t, ran)
}

func TestDownOfADamagedStateFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, stateFile), []byte("{"), 0o600))
	_, err := Down(t.Context(), dir)
	require.ErrorContains(t, err, "is damaged, end its servers by hand")
}

func TestAdoptTakesOnlyTheServerThatIsMeant(t *testing.T) {
	require.NotNil(t, adopt("etcd", os.Getpid(), "", filepath.Base(os.Args[0])))
	require.Nil(t, adopt("etcd", os.Getpid(), "", "/a/folder/that/is/not/mentioned"), "the number of another program")
	require.Nil(t, adopt("etcd", 1<<30, "", ""), "no process")
	require.Nil(t, adopt("etcd", 0, "", ""), "not recorded")
}
