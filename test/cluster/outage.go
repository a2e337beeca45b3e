package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// StopAPIServer kills the API server, like a crash: connections are refused until
// [Cluster.StartAPIServer]. It does nothing if the API server does not run.
func (c *Cluster) StopAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopAPIServer()
}

// StartAPIServer starts the API server again with the same address, users and data, and returns
// when it is ready. It does nothing if the API server runs.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.startAPIServer(ctx)
}

// RestartAPIServer stops and starts the API server: watches end, and its memory and CPU time start
// from zero.
func (c *Cluster) RestartAPIServer(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.stopAPIServer(); err != nil {
		return err
	}
	return c.startAPIServer(ctx)
}

// PauseAPIServer freezes the API server and returns when it is frozen: the kernel accepts
// connections, but requests get no response. It needs Linux.
func (c *Cluster) PauseAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid, err := c.apiServer()
	if err != nil {
		return err
	}
	return freeze(pid)
}

// ResumeAPIServer resumes a paused API server. It serves the requests that arrived in the meantime.
func (c *Cluster) ResumeAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid, err := c.apiServer()
	if err != nil {
		return err
	}
	return signal(pid, syscall.SIGCONT)
}

// StopEtcd stops etcd: requests to the API server fail or time out until [Cluster.StartEtcd]. The
// data stays.
func (c *Cluster) StopEtcd() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopEtcd()
}

// StartEtcd starts etcd again with its data. The API server needs a moment to reconnect: see
// [Cluster.WaitReady].
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

// APIServerCPU returns the CPU time, user and system, that the API server has used since its last
// start, in steps of 10 ms. It needs Linux.
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
