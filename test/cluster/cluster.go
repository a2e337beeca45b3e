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

// Options configures a cluster. The zero value is a standard cluster.
type Options struct {
	// ImageMode installs the MachineConfigNode CRD with the fields of image mode (the
	// CustomNoUpgrade feature set) instead of the default CRD.
	ImageMode bool

	// APIServerArgs has additional flags of kube-apiserver: "--name=value".
	APIServerArgs []string
}

// Cluster is an etcd and a kube-apiserver. It is safe for concurrent use.
type Cluster struct {
	dir string // data, certificates, logs and the kubeconfig file
	env *envtest.Environment

	mu       sync.Mutex // guards the fields below
	etcd     bool       // whether etcd runs
	api      bool       // whether kube-apiserver runs
	finished bool
}

// Start starts the servers on free loopback ports and returns when the CRD of MachineConfigNode is
// served. On failure, it stops the servers, and the error has the end of the API server's log. Any
// number of clusters may run at the same time.
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
	for _, dir := range []string{api.CertDir, etcd.DataDir} { // envtest keeps existing folders when a server restarts
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	// Without a network, the machine has no other address to advertise.
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
	c.env.Config.QPS = -1 // no limit; client-go's default is 5 requests a second
	if err := os.WriteFile(c.Kubeconfig(), c.env.KubeConfig, 0o600); err != nil {
		return err
	}
	return InstallCRD(ctx, c.Config(), opts.ImageMode)
}

// Stop stops both servers, even if they are paused, and removes their files. A second call does
// nothing.
func (c *Cluster) Stop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finished {
		return nil
	}
	c.finished = true
	errs := []error{c.stopAPIServer(), c.stopEtcd(), os.RemoveAll(c.dir)}
	return errors.Join(errs...)
}

func (c *Cluster) stopAPIServer() error {
	if !c.api {
		return nil
	}
	c.api = false
	// envtest sends SIGTERM, which a paused server ignores and a busy server delays.
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

// apiServer finds the process by the certificate folder on its command line, because envtest does
// not export the process.
func (c *Cluster) apiServer() (pid int, err error) {
	return findProcess("--cert-dir=" + c.env.ControlPlane.APIServer.CertDir)
}

// Config returns a copy of the client configuration of an administrator, without a rate limit. To
// act as another user, pass the copy to rest.AnonymousClientConfig, and set a token.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.env.Config) }

// Kubeconfig returns the path of a kubeconfig file for the same administrator.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// Kubectl runs kubectl as the administrator and returns its standard output. The error includes its
// standard error.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) (string, error) {
	path, err := Binary("kubectl")
	if err != nil {
		return "", err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	// The default cache identifies a server by its port, which an earlier cluster may have used.
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Kubeconfig(), "KUBECACHEDIR="+filepath.Join(c.dir, "kubectl"))
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// tail returns the end of a log file.
func tail(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(content[max(0, len(content)-2000):])
}
