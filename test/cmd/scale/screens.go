package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/openshift/upgrademonitor/test/cluster"
)

// screens measures the first output of a program kubectl-mcn, and writes a table for each number of nodes.
// A tenth of the nodes are draining, and the others wait.
func screens(ctx context.Context, rows []int, atATime int, program string, report io.Writer, progress func(string, ...any)) error {
	for _, n := range rows {
		progress("%d nodes", n)
		if err := screensOf(ctx, n, atATime, program, report); err != nil {
			return fmt.Errorf("cannot measure the screens of %d nodes: %w", n, err)
		}
	}
	return nil
}

func screensOf(ctx context.Context, n, atATime int, program string, report io.Writer) (err error) {
	c, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	if err := cluster.InstallPoolCRD(ctx, c.Config()); err != nil {
		return err
	}
	f, err := newFleet(c, atATime)
	if err != nil {
		return err
	}
	if err := createPool(ctx, f.admin); err != nil {
		return err
	}
	if err := f.create(ctx, n); err != nil {
		return err
	}
	if err := setTarget(ctx, f.operator, config(2)); err != nil {
		return err
	}
	if err := f.update(ctx, n/10, config(2), rebootUpdate[:untilDrain]); err != nil {
		return err
	}
	writeHeader(report, count(n)+" nodes", "first output s", "MB down", "peak RSS MB", "CPU s")
	for _, args := range []string{"", "-o json", "wait"} {
		if err := f.screen(ctx, c, program, args, true, report); err != nil {
			return err
		}
	}
	return f.screen(ctx, c, program, "", false, report)
}

// screen runs the program until its first output, and writes a row.
func (f *fleet) screen(ctx context.Context, c *cluster.Cluster, program, args string, mayReadNodes bool, report io.Writer) error {
	client, err := newClient(c.Config())
	if err != nil {
		return err
	}
	target, err := url.Parse(c.Config().Host)
	if err != nil {
		return err
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval, proxy.Transport = -1, client.transport // -1: watches
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !mayReadNodes && strings.HasSuffix(r.URL.Path, "/nodes") {
			http.Error(w, "", http.StatusForbidden)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	kubeconfig := filepath.Join(filepath.Dir(c.Kubeconfig()), "kubeconfig-of-the-proxy")
	text := fmt.Sprintf(`{"current-context":"c","contexts":[{"name":"c","context":{"cluster":"c"}}],"clusters":[{"name":"c","cluster":{"server":%q}}]}`, server.URL)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		return err
	}

	cmd := exec.CommandContext(ctx, program, append(strings.Fields(args), "--kubeconfig", kubeconfig)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		return errors.Join(fmt.Errorf("kubectl mcn %s prints nothing: %w", args, err), cmd.Wait())
	}
	first := time.Since(start)
	if args == "wait" { // it would follow the update
		_ = cmd.Process.Signal(os.Interrupt)
	}
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait() // an interrupt is a failure
	name := "`" + strings.TrimSpace("kubectl mcn "+args) + "`"
	if !mayReadNodes {
		name += ", without permission for Nodes"
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	writeRow(report, name, fmt.Sprintf("%.2f", first.Seconds()), megabytes(sum(client).down), fmt.Sprint(usage.Maxrss/1024),
		fmt.Sprintf("%.2f", (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()))
	return nil
}
