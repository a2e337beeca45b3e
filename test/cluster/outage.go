package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// StopAPIServer kills the API server. Connections are refused until [Cluster.StartAPIServer].
// StopAPIServer does nothing if the API server is already stopped.
func (c *Cluster) StopAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopAPIServer()
}

// StartAPIServer starts a stopped API server with the same address, users and data, and returns
// when the API server is ready. It does nothing if the API server is running.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.startAPIServer(ctx)
}

// PauseAPIServer freezes the process of the API server, and returns when all threads are frozen.
// The kernel still accepts connections, but requests get no response. PauseAPIServer needs Linux.
func (c *Cluster) PauseAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid, err := c.apiServer()
	if err != nil {
		return err
	}
	return freeze(pid)
}

// ResumeAPIServer resumes a paused API server, which then serves the requests that arrived during
// the pause.
func (c *Cluster) ResumeAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid, err := c.apiServer()
	if err != nil {
		return err
	}
	return signal(pid, syscall.SIGCONT)
}

// StopEtcd stops etcd, and keeps its data. Requests to the API server fail or time out until
// [Cluster.StartEtcd].
func (c *Cluster) StopEtcd() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopEtcd()
}

// StartEtcd starts a stopped etcd with the same data. Call [Cluster.WaitReady] to wait until the
// API server has reconnected.
func (c *Cluster) StartEtcd(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.etcd {
		return nil
	}
	if err := c.env.ControlPlane.Etcd.Start(); err != nil {
		return fmt.Errorf("cannot start etcd again: %w", err)
	}
	c.etcd = true
	return nil
}

// WaitReady returns when the API server is ready and serves the default namespace.
func (c *Cluster) WaitReady(ctx context.Context) error {
	config := c.Config()
	config.Timeout = 5 * time.Second // a paused server does not respond
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	return eventually(ctx, "the API server is not ready", func(ctx context.Context) error {
		if _, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err != nil {
			return err
		}
		_, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		return err
	})
}

// APIServerCPU returns the user and system CPU time of the API server since its last start, with a
// resolution of 10 ms. APIServerCPU needs Linux.
func (c *Cluster) APIServerCPU() (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid, err := c.apiServer()
	if err != nil {
		return 0, err
	}
	return cpuTime(pid)
}

func (c *Cluster) startAPIServer(ctx context.Context) error {
	if c.api {
		return nil
	}
	if err := c.env.ControlPlane.APIServer.Start(); err != nil {
		return fmt.Errorf("cannot start kube-apiserver again: %w\n%s", err, tail(filepath.Join(c.dir, "kube-apiserver.log")))
	}
	c.api = true
	return c.WaitReady(ctx)
}

// timeout is the limit of each wait for a server. It is long enough for a busy machine.
const timeout = 2 * time.Minute

// eventually calls check until check returns nil. After timeout, or when ctx ends, it returns an
// error that wraps the last error of check.
func eventually(ctx context.Context, what string, check func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, timeout, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w, last error: %w", what, err, last)
	}
	return nil
}
