package cluster_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// No request may succeed during the outage. After it, a client from before the outage reads the
// unchanged object.
func TestAnOutageKeepsTheDataAndTheClients(t *testing.T) {
	for _, test := range []struct {
		name   string
		away   func(context.Context, *cluster.Cluster) error
		expect string // part of the error of a request meanwhile
		back   func(context.Context, *cluster.Cluster) error
	}{
		{
			name:   "paused",
			away:   func(_ context.Context, c *cluster.Cluster) error { return c.PauseAPIServer() },
			expect: "deadline exceeded",
			back:   func(_ context.Context, c *cluster.Cluster) error { return c.ResumeAPIServer() },
		},
		{
			name:   "api-server-stopped",
			away:   func(_ context.Context, c *cluster.Cluster) error { return c.StopAPIServer() },
			expect: "connection refused",
			back:   func(ctx context.Context, c *cluster.Cluster) error { return c.StartAPIServer(ctx) },
		},
		{
			name:   "etcd-stopped",
			away:   func(_ context.Context, c *cluster.Cluster) error { return c.StopEtcd() },
			expect: "",
			back:   func(ctx context.Context, c *cluster.Cluster) error { return c.StartEtcd(ctx) },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx := testContext(t)
			nodes := machineConfigNodes(t, shared.Config())
			before := createNode(t, test.name)

			require.NoError(t, test.away(ctx, shared))
			t.Cleanup(func() { // for the tests after it, if this one fails half way
				require.NoError(t, test.back(context.WithoutCancel(ctx), shared))
				require.NoError(t, shared.WaitReady(context.WithoutCancel(ctx)))
			})
			short, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			_, err := nodes.Get(short, test.name, metav1.GetOptions{})
			require.ErrorContains(t, err, test.expect)

			require.NoError(t, test.back(ctx, shared))
			require.NoError(t, shared.WaitReady(ctx))
			after, err := nodes.Get(ctx, test.name, metav1.GetOptions{})
			require.NoError(t, err)
			require.Equal(t, before, after)
		})
	}
}

func TestRestartKeepsTheDataAndTheAddress(t *testing.T) {
	ctx := testContext(t)
	before := createNode(t, "restart")
	host, pid, etcd := shared.Config().Host, shared.APIServerPID(), shared.EtcdPID()

	require.NoError(t, shared.RestartAPIServer(ctx))

	require.NotEqual(t, pid, shared.APIServerPID())
	require.Equal(t, host, shared.Config().Host)
	require.Equal(t, etcd, shared.EtcdPID())
	after, err := machineConfigNodes(t, shared.Config()).Get(ctx, "restart", metav1.GetOptions{})
	require.NoError(t, err, "requests are served as soon as the restart returns")
	require.Equal(t, before, after)
}

func TestRestartOfAPausedAPIServer(t *testing.T) {
	ctx := testContext(t)
	require.NoError(t, shared.PauseAPIServer())
	require.NoError(t, shared.RestartAPIServer(ctx))
	_, err := machineConfigNodes(t, shared.Config()).List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
}

func TestStartAndStopTwiceDoNothing(t *testing.T) {
	ctx := testContext(t)
	pid, etcd := shared.APIServerPID(), shared.EtcdPID()
	require.NoError(t, shared.StartAPIServer(ctx))
	require.NoError(t, shared.StartEtcd(ctx))
	require.NoError(t, shared.ResumeAPIServer())
	require.Equal(t, pid, shared.APIServerPID())
	require.Equal(t, etcd, shared.EtcdPID())

	require.NoError(t, shared.StopAPIServer())
	require.NoError(t, shared.StopAPIServer())
	require.Zero(t, shared.APIServerPID())
	require.ErrorIs(t, shared.PauseAPIServer(), cluster.ErrNotRunning)
	require.ErrorIs(t, shared.ResumeAPIServer(), cluster.ErrNotRunning)
	_, err := shared.APIServerCPU()
	require.ErrorIs(t, err, cluster.ErrNotRunning)

	require.NoError(t, shared.StartAPIServer(ctx))
}
