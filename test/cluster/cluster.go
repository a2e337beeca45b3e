package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// Options configures a cluster. The zero value configures a cluster in standard mode.
type Options struct {
	// ImageMode selects the MachineConfigNode CRD of the feature set CustomNoUpgrade, which has the
	// fields of image mode.
	ImageMode bool
	// APIServerArgs are additional flags of kube-apiserver, for example "--v=4".
	APIServerArgs []string
}

// Cluster is an etcd and a kube-apiserver. It is safe for concurrent use.
type Cluster struct {
	dir string // the folder of the data, the certificates, the logs and the kubeconfig file
	env *envtest.Environment

	mu       sync.Mutex // guards the fields below
	etcd     bool       // true while etcd runs
	api      bool       // true while kube-apiserver runs
	finished bool       // true after Stop
}

// Start starts the servers on free loopback ports, and returns when the API server serves
// MachineConfigNodes. If a server does not start, Start stops both servers, and returns an error
// with the end of the API server's log. Several clusters may run at the same time.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	ctrllog.SetLogger(klog.Background())
	dir, err := os.MkdirTemp("", "test-cluster-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir}
	if err := c.start(ctx, opts); err != nil {
		err = fmt.Errorf("cannot start a cluster: %w\n%s", err, tail(filepath.Join(dir, "kube-apiserver.log")))
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, opts Options) error {
	api := &envtest.APIServer{CertDir: filepath.Join(c.dir, "pki")}
	etcd := &envtest.Etcd{DataDir: filepath.Join(c.dir, "etcd")}
	log, err := os.Create(filepath.Join(c.dir, "kube-apiserver.log"))
	if err != nil {
		return err
	}
	api.Out, api.Err = log, log
	if api.Path, err = Binary("kube-apiserver"); err != nil {
		return err
	}
	if etcd.Path, err = Binary("etcd"); err != nil {
		return err
	}
	// Without these folders, envtest uses temporary folders, and removes them when a server stops.
	for _, dir := range []string{api.CertDir, etcd.DataDir} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	// kube-apiserver finds no address to advertise on a machine without a network.
	api.Configure().Set("advertise-address", "127.0.0.1").Set("endpoint-reconciler-type", "none")
	for _, arg := range opts.APIServerArgs {
		name, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		api.Configure().Append(name, value)
	}
	c.env = &envtest.Environment{
		UseExistingCluster:       ptr.To(false),
		ControlPlane:             envtest.ControlPlane{APIServer: api, Etcd: etcd},
		ControlPlaneStartTimeout: timeout,
		ControlPlaneStopTimeout:  timeout,
	}
	if _, err := c.env.Start(); err != nil {
		return err
	}
	c.etcd, c.api = true, true
	c.env.Config.QPS = -1 // without a rate limit; client-go's default is 5 requests a second
	if err := os.WriteFile(c.Kubeconfig(), c.env.KubeConfig, 0o600); err != nil {
		return err
	}
	if opts.ImageMode {
		return install(ctx, c.Config(), crdImage)
	}
	return install(ctx, c.Config(), crdStandard)
}

// Stop stops both servers, even if the API server is paused, and removes their files. A second call
// does nothing.
func (c *Cluster) Stop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finished {
		return nil
	}
	c.finished = true
	return errors.Join(c.stopAPIServer(), c.stopEtcd(), os.RemoveAll(c.dir))
}

func (c *Cluster) stopAPIServer() error {
	if !c.api {
		return nil
	}
	c.api = false
	// Send SIGKILL first, because envtest sends only SIGTERM. A paused server does not react to
	// SIGTERM, and a busy server takes long to exit.
	if pid, err := c.apiServer(); err == nil {
		_ = signal(pid, syscall.SIGKILL)
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

// apiServer returns the PID of the API server. It searches for the command line with the
// certificate folder, because envtest does not export the process.
func (c *Cluster) apiServer() (pid int, err error) {
	return findProcess("--cert-dir=" + c.env.ControlPlane.APIServer.CertDir)
}

// Config returns a client configuration for an administrator, without a rate limit. For another
// user, pass the configuration to rest.AnonymousClientConfig, and set a token.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.env.Config) }

// Kubeconfig returns the path of a kubeconfig file for the same administrator.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// Kubectl runs kubectl as the administrator, and returns stdout. An error includes stderr.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) (string, error) {
	path, err := Binary("kubectl")
	if err != nil {
		return "", err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	// Each cluster has its own cache, because kubectl names the cache of a server after the address
	// of the server, and an earlier cluster may have used the same address.
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Kubeconfig(), "KUBECACHEDIR="+filepath.Join(c.dir, "kubectl"))
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(stderr.String())
		return stdout.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, said)
	}
	return stdout.String(), nil
}

// tail returns the end of a file.
func tail(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(content[max(0, len(content)-2000):])
}
