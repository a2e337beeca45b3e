// Command cluster starts a real API server on this machine, for a developer's shell, and leaves
// it running:
//
//	eval "$(go run ./cmd/cluster)"     # start it, or find the one that runs, and set KUBECONFIG
//	kubectl get machineconfignodes
//	go run ./cmd/cluster --down        # stop it and remove its files
//
// Run it in the folder test of the repository. The first run builds the servers, which takes
// about four minutes. Without a kubectl at hand, --kubectl builds one and prints its path.
// --build builds all of them and starts nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/openshift/upgrademonitor/test/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// run prints one line on stdout when a cluster is up, a command for the shell, and everything
// else on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("cluster", flag.ContinueOnError)
	flags.SetOutput(stderr)
	down := flags.Bool("down", false, "stop the cluster that was left running and remove its files")
	imageMode := flags.Bool("image-mode", false, "start it with the CRD that has the fields of image mode")
	build := flags.Bool("build", false, "build etcd, kube-apiserver and kubectl, and start nothing")
	kubectl := flags.Bool("kubectl", false, "build kubectl and print its path")
	dir := flags.String("dir", "", "the cluster's folder, one cluster each (default <repository>/.cache/cluster)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: only flags are known, see --help", flags.Arg(0))
	}
	if *build {
		return cluster.Build(ctx)
	}
	if *kubectl {
		return buildKubectl(ctx, stdout)
	}
	if *down {
		return stopCluster(ctx, *dir, stderr)
	}
	return startCluster(ctx, cluster.Options{Dir: *dir, ImageMode: *imageMode}, stdout, stderr)
}

func buildKubectl(ctx context.Context, stdout io.Writer) error {
	path, err := cluster.Binary(ctx, "kubectl")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, path)
	return err
}

func startCluster(ctx context.Context, opts cluster.Options, stdout, stderr io.Writer) error {
	c, err := cluster.Up(ctx, opts)
	if err != nil {
		return err
	}
	if err := cluster.InstallPoolCRD(ctx, c.Config()); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "the API server listens on %s; stop it with --down\n", c.Config().Host)
	_, err = fmt.Fprintf(stdout, "export KUBECONFIG=%s\n", shellQuote(c.Kubeconfig()))
	return err
}

func stopCluster(ctx context.Context, dir string, stderr io.Writer) error {
	ran, err := cluster.Down(ctx, dir)
	if err != nil {
		return err
	}
	if ran {
		fmt.Fprintln(stderr, "stopped")
	} else {
		fmt.Fprintln(stderr, "nothing runs")
	}
	return nil
}

// shellQuote quotes a path that a shell would not take as one word.
func shellQuote(path string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@:,%="
	if strings.Trim(path, plain) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
