package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// Files and folders of a cluster.
const (
	pkiDir       = "pki"
	etcdData     = "etcd"
	etcdLog      = "etcd.log"
	apiServerLog = "kube-apiserver.log"
	kubeconfig   = "kubeconfig"
	kubectlCache = "kubectl-cache"
)

// Options configures a cluster. The zero value is a standard cluster in a temporary folder.
type Options struct {
	// ImageMode installs the MachineConfigNode CRD with the fields of image mode (the
	// CustomNoUpgrade feature set) in place of the default one.
	ImageMode bool

	// Dir is the folder for data, logs, certificates and the kubeconfig file. It is created when
	// missing; what an earlier cluster left there is replaced, and it stays after Stop. Empty: a
	// temporary folder that Stop removes.
	Dir string

	// APIServerArgs are further flags of kube-apiserver, for example "--audit-policy-file=…".
	// They come last and win.
	APIServerArgs []string

	// pickPort stands in for freePort in tests.
	pickPort func() (int, error)
}

// Cluster is an etcd and a kube-apiserver that belong together. Its methods may be called from
// several goroutines; those that start and stop servers wait for each other.
type Cluster struct {
	dir      string
	detached bool
	temp     bool
	complete bool // Start has come to its end
	config   *rest.Config
	settings settings

	mu      sync.Mutex
	etcd    *process // nil when it was stopped
	api     *process
	stopped bool
}

// settings are those needed to start the servers of a cluster again. They do not change after
// Start.
type settings struct {
	ImageMode     bool
	EtcdName      string // distinguishes this etcd from others
	EtcdPort      int
	APIServerPort int
	APIServerArgs []string
}

// Start starts etcd and kube-apiserver on free loopback ports, installs the CRD of
// MachineConfigNode and returns when it is served. ctx bounds the start, not the life of the
// cluster.
//
//  1. Programs that are missing are built first, see [Binary].
//  2. The servers run until Stop. On Linux they also end with this process.
//  3. When Start fails no process is left, and no temporary folder; the error of a server that
//     did not come up is a *StartError with the end of its log.
//  4. Any number of clusters may run at once, in one process or in several.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	return startCluster(ctx, opts, false)
}

func startCluster(ctx context.Context, opts Options, detached bool) (*Cluster, error) {
	// A build takes long: do it before anything has to be cleaned up.
	for _, name := range []string{"etcd", "kube-apiserver"} {
		if _, err := Binary(ctx, name); err != nil {
			return nil, fmt.Errorf("cannot start a cluster: %w", err)
		}
	}
	c := &Cluster{detached: detached, settings: settings{
		ImageMode:     opts.ImageMode,
		EtcdName:      "etcd-" + strings.ToLower(rand.Text()),
		APIServerArgs: opts.APIServerArgs,
	}}
	if err := c.prepareDir(opts.Dir); err != nil {
		return nil, fmt.Errorf("cannot start a cluster: %w", err)
	}
	if err := c.bringUp(ctx, opts); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start a cluster: %w", err), c.Stop())
	}
	return c, nil
}

// prepareDir makes the cluster's folder and removes what an earlier cluster left in it.
func (c *Cluster) prepareDir(dir string) (err error) {
	if dir == "" {
		c.temp = true
		c.dir, err = os.MkdirTemp("", "test-cluster-")
		return err
	}
	if c.dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if old, err := attach(c.dir); err != nil {
		return err
	} else if old != nil && (old.etcd.alive() || old.api.alive()) {
		return fmt.Errorf("a cluster runs in %s: stop it first", c.dir)
	}
	return removeFiles(c.dir)
}

// removeFiles removes the files of a cluster from its folder, and nothing else.
func removeFiles(dir string) error {
	for _, name := range []string{pkiDir, etcdData, etcdLog, apiServerLog, kubeconfig, kubectlCache, stateFile} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("cannot remove what an earlier cluster left: %w", err)
		}
	}
	return nil
}

func (c *Cluster) bringUp(ctx context.Context, opts Options) error {
	pick := opts.pickPort
	if pick == nil {
		pick = freePort
	}
	if err := writePKI(filepath.Join(c.dir, pkiDir)); err != nil {
		return err
	}
	err := onFreePort(pick, func(port int) error {
		c.settings.EtcdPort = port
		return c.StartEtcd(ctx)
	})
	if err != nil {
		return err
	}
	err = onFreePort(pick, func(port int) error {
		c.settings.APIServerPort = port
		return c.StartAPIServer(ctx)
	})
	if err != nil {
		return err
	}
	if c.config, err = loadConfig(c.dir, c.settings.APIServerPort); err != nil {
		return err
	}
	if err := writeKubeconfig(c.Kubeconfig(), c.config); err != nil {
		return err
	}
	if err := InstallCRD(ctx, c.Config(), opts.ImageMode); err != nil {
		return err
	}
	c.complete = true
	return c.record()
}

// Stop kills both servers, paused or not, returns when they are gone, and removes the temporary
// folder. Calls after the first do nothing. Fails when a server cannot be killed, and when one had
// died by itself: the error then has the end of its log.
func (c *Cluster) Stop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return nil
	}
	c.stopped = true
	var errs []error
	for _, p := range []*process{c.api, c.etcd} {
		if p == nil {
			continue
		}
		if !p.alive() {
			errs = append(errs, fmt.Errorf("before it was stopped, %w; its log ends with:\n%s", p.exitError(), p.log.tail()))
		}
		errs = append(errs, p.kill())
	}
	c.api, c.etcd = nil, nil
	if c.temp {
		errs = append(errs, os.RemoveAll(c.dir))
	}
	return errors.Join(errs...)
}
