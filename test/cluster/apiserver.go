package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"time"
)

// StartAPIServer starts the API server on the port and the etcd that it had, and returns when it
// is ready. It does nothing when the API server runs, paused or not. Fails with ErrStopped after
// Stop and with a *StartError when the API server does not come up, as it cannot without etcd.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.startAPIServer(ctx)
}

// StopAPIServer kills the API server, like a crash: connections to it are refused until
// [Cluster.StartAPIServer]. It does nothing when the API server does not run.
func (c *Cluster) StopAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopAPIServer()
}

// RestartAPIServer kills the API server and starts it again on the same port and the same etcd:
// watches end, data and tokens stay. The processor time starts from zero and the memory is given
// back. Fails as StartAPIServer does; the API server is then stopped.
func (c *Cluster) RestartAPIServer(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.stopAPIServer(); err != nil {
		return err
	}
	return c.startAPIServer(ctx)
}

// PauseAPIServer freezes the API server and returns when it is frozen: connections are still
// accepted by the kernel, requests get no answer. Fails with ErrNotRunning when it does not run.
func (c *Cluster) PauseAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.api.pause(); err != nil {
		return fmt.Errorf("cannot pause kube-apiserver: %w", err)
	}
	return nil
}

// ResumeAPIServer continues a paused API server, with the requests that arrived meanwhile. It does
// nothing when it is not paused. Fails with ErrNotRunning when it does not run.
func (c *Cluster) ResumeAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.api.signal(syscall.SIGCONT); err != nil {
		return fmt.Errorf("cannot resume kube-apiserver: %w", err)
	}
	return nil
}

// APIServerPID is the process number of the API server, 0 when it does not run.
func (c *Cluster) APIServerPID() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.api.alive() {
		return 0
	}
	return c.api.handle.Pid
}

// APIServerCPU is the processor time, user and system, that the API server has used since it was
// last started, in steps of 10 ms. An idle API server uses some too, most of it in the first
// seconds. Fails with ErrNotRunning when it does not run, and with errors.ErrUnsupported
// elsewhere than on Linux.
func (c *Cluster) APIServerCPU() (time.Duration, error) {
	pid := c.APIServerPID()
	if pid == 0 {
		return 0, fmt.Errorf("no processor time of kube-apiserver: %w", ErrNotRunning)
	}
	return cpuTime(pid)
}

func (c *Cluster) stopAPIServer() error {
	if c.api == nil {
		return nil
	}
	err := c.api.kill()
	c.api = nil
	return err
}

func (c *Cluster) startAPIServer(ctx context.Context) error {
	if c.stopped {
		return ErrStopped
	}
	if c.api.alive() {
		return nil
	}
	path, err := Binary(ctx, "kube-apiserver")
	if err != nil {
		return err
	}
	probe, err := newProbe(c.dir, c.settings.APIServerPort)
	if err != nil {
		return err
	}
	cmd := command{name: "kube-apiserver", path: path, args: c.apiServerArgs(), log: filepath.Join(c.dir, apiServerLog)}
	return c.launch(ctx, &c.api, cmd, probe.ready)
}

func (c *Cluster) apiServerArgs() []string {
	pki := func(name string) string { return filepath.Join(c.dir, pkiDir, name) }
	args := []string{
		"--etcd-servers=" + c.etcdURL(),
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", c.settings.APIServerPort),
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.96.0.0/24",
		"--tls-cert-file=" + pki(serverCert),
		"--tls-private-key-file=" + pki(serverKey),
		"--client-ca-file=" + pki(caCert),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + pki(serviceAccount),
		"--service-account-key-file=" + pki(serviceAccount),
		"--authorization-mode=RBAC",
	}
	return append(args, c.settings.APIServerArgs...)
}
