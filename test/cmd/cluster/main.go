// Command cluster runs a real API server in the background, for the shell of a developer.
//
//	eval "$(make cluster)"     # start the API server if it is not running, and set KUBECONFIG
//	kubectl get machineconfignodes
//	make cluster-down          # stop the API server, and remove its data
//
// The command starts itself with --serve as a background process. This process runs the servers,
// and holds the lock of the folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// startTimeout is how long the command waits until the cluster is ready.
const startTimeout = 5 * time.Minute

func main() {
	down := flag.Bool("down", false, "stop the cluster and remove its data")
	serve := flag.Bool("serve", false, "run the servers in the foreground until SIGTERM")
	dir := flag.String("dir", "../.cache/cluster", "folder of the cluster; each cluster needs its own folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := session{filepath.Clean(*dir)}
	var err error
	switch {
	case *serve:
		err = s.serve(ctx)
	case *down:
		err = s.down(os.Stderr)
	default:
		err = s.up(ctx, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// session is the folder of a cluster. The file "lock" has the PID of the process that holds the lock.
// The file "kubeconfig" exists while the servers are ready. The file "daemon.kubeconfig" has the identity of the daemon of
// the node worker-0, to which the admission policies apply. The file "log" has the output of the
// servers.
type session struct{ dir string }

func (s session) path(name string) string { return filepath.Join(s.dir, name) }

// lock locks the file named lock. If another process holds the lock and wait is false, lock returns
// a nil file.
func (s session) lock(wait bool) (*os.File, error) {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(s.path("lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	err = syscall.Flock(int(file.Fd()), how)
	if err == nil {
		return file, nil
	}
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, fmt.Errorf("cannot lock %s: %w", s.path("lock"), err)
}

func (s session) serve(ctx context.Context) error {
	lock, err := s.lock(false)
	if err != nil {
		return err
	}
	if lock == nil {
		return fmt.Errorf("a cluster is already running in %s: stop it with --down", s.dir)
	}
	defer lock.Close()
	defer os.Remove(s.path("kubeconfig"))
	if err := lock.Truncate(0); err != nil {
		return err
	}
	if _, err := lock.WriteString(strconv.Itoa(os.Getpid())); err != nil {
		return err
	}
	c, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return err
	}
	if err := s.publish(ctx, c); err != nil {
		return errors.Join(err, c.Stop())
	}
	<-ctx.Done()
	return c.Stop()
}

// publish installs the CRDs of pools and the admission policies. Then it writes the kubeconfig files. The last one tells
// other processes that the cluster is ready.
func (s session) publish(ctx context.Context, c *cluster.Cluster) error {
	if err := cluster.InstallPoolCRD(ctx, c.Config()); err != nil {
		return err
	}
	if err := c.InstallGuards(ctx); err != nil {
		return err
	}
	daemon, err := c.DaemonKubeconfig("worker-0")
	if err != nil {
		return err
	}
	return errors.Join(s.copy(daemon, "daemon.kubeconfig"), s.copy(c.Kubeconfig(), "kubeconfig"))
}

// copy copies a file to the folder.
func (s session) copy(from, name string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path("new"), content, 0o600); err != nil {
		return err
	}
	return os.Rename(s.path("new"), s.path(name))
}

// up starts the cluster if it is not running, waits until the cluster is ready, and prints the
// shell command that sets KUBECONFIG.
func (s session) up(ctx context.Context, stdout, stderr io.Writer) error {
	lock, err := s.lock(false)
	if err != nil {
		return err
	}
	exited := make(chan error, 1)
	if lock != nil {
		lock.Close()
		os.Remove(s.path("kubeconfig")) // the file still exists if the last process was killed
		cmd := exec.Command(os.Args[0], "--serve", "--dir", s.dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // so that the process outlives the shell
		log, err := os.Create(s.path("log"))
		if err != nil {
			return err
		}
		cmd.Stdout, cmd.Stderr = log, log
		if err := cmd.Start(); err != nil {
			return err
		}
		go func() { exited <- cmd.Wait() }()
	}
	ready := func(context.Context) (bool, error) {
		select {
		case err := <-exited:
			return false, fmt.Errorf("the servers did not start, see %s: %w", s.path("log"), err)
		default:
		}
		_, err := os.Stat(s.path("kubeconfig"))
		return err == nil, nil
	}
	if err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, startTimeout, true, ready); err != nil {
		return err
	}
	path, err := filepath.Abs(s.path("kubeconfig"))
	if err != nil {
		return err
	}
	fmt.Fprintln(stderr, "stop the cluster with make cluster-down")
	fmt.Fprintf(stdout, "export KUBECONFIG=%q\n", path)
	return nil
}

// down stops the servers, and returns when they have exited.
func (s session) down(stderr io.Writer) error {
	lock, err := s.lock(false)
	if err != nil {
		return err
	}
	said := "no cluster is running"
	if lock == nil {
		said = "the cluster is stopped"
		content, err := os.ReadFile(s.path("lock"))
		if err != nil {
			return err
		}
		pid, err := strconv.Atoi(string(content))
		if err != nil {
			return fmt.Errorf("%s has no PID: %w", s.path("lock"), err)
		}
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			return fmt.Errorf("cannot stop process %d: %w", pid, err)
		}
		if lock, err = s.lock(true); err != nil {
			return err
		}
	}
	fmt.Fprintln(stderr, said)
	return lock.Close()
}
