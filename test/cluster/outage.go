package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// ErrNotRunning is returned when something is asked of a server that does not run.
var ErrNotRunning = errors.New("the server is not running")

// StopAPIServer kills the API server, like a crash: connections to it are refused until
// [Cluster.StartAPIServer]. It does nothing when the API server does not run.
func (c *Cluster) StopAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopAPIServer()
}

// StartAPIServer starts it again with the address, users and data that it had, and returns when it
// is ready. It does nothing when the API server runs.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.startAPIServer(ctx)
}

// RestartAPIServer stops and starts it: watches end, its memory and processor time start from zero.
func (c *Cluster) RestartAPIServer(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.stopAPIServer(); err != nil {
		return err
	}
	return c.startAPIServer(ctx)
}

// PauseAPIServer freezes the API server and returns when it is frozen: connections are accepted
// by the kernel, requests get no answer. Needs Linux.
func (c *Cluster) PauseAPIServer() error {
	return c.signal(syscall.SIGSTOP)
}

// ResumeAPIServer continues a paused API server, with the requests that arrived meanwhile.
func (c *Cluster) ResumeAPIServer() error {
	return c.signal(syscall.SIGCONT)
}

// StopEtcd stops etcd: requests to the API server fail or time out until [Cluster.StartEtcd].
// What was written stays.
func (c *Cluster) StopEtcd() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopEtcd()
}

// StartEtcd starts etcd again on its data. The API server needs a moment to find it: see
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
	config.Timeout = 5 * time.Second // a paused server does not answer
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

func (c *Cluster) stopAPIServer() error {
	if !c.api {
		return nil
	}
	c.api = false
	// envtest would ask it to end, which a paused server does not hear and a busy one delays.
	if pid, err := c.apiServerPID(); err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return c.env.ControlPlane.APIServer.Stop()
}

func (c *Cluster) stopEtcd() error {
	if !c.etcd {
		return nil
	}
	c.etcd = false
	return c.env.ControlPlane.Etcd.Stop()
}

// eventually calls check until it returns nil. The error has its last answer.
func eventually(ctx context.Context, what string, check func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, timeout, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w, the last attempt: %w", what, err, last)
	}
	return nil
}
