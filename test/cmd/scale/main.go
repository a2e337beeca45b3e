// Command scale measures, on a real API server, what it costs to report the updates of many nodes.
//
//	go run ./cmd/scale              # all rows, about a quarter of an hour
//	go run ./cmd/scale --nodes 500  # one row
//
// Each daemon reports one update of its node with a drain and a reboot, as fast as it can. Each
// number of nodes gets a new cluster, with the controller of package rollout and the loop of
// examples/operator/pools.
//
// Each client counts requests in its HTTP transport, and bytes on its TCP connection. CPU time is
// the CPU time of kube-apiserver. Nodes send no heartbeats and run no Pods. All daemons share one
// connection. Drains and reboots take no time.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// run prints the table on stdout, and the progress on stderr. If a measurement fails, or if ctx
// ends, run still prints the earlier rows, because they took minutes.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.SetOutput(stderr)
	nodes := flags.String("nodes", "500 1000 2500 5000", "numbers of nodes; the table has one row for each number")
	atATime := flags.Int("at-a-time", 100, "number of nodes that are updated at the same time")
	markdown := flags.String("markdown", "", "also write the table to this file")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var rows []int
	for _, word := range strings.Fields(*nodes) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return fmt.Errorf("--nodes has %q: use positive numbers, separated by spaces", word)
		}
		rows = append(rows, n)
	}
	if *atATime < 1 {
		return fmt.Errorf("--at-a-time must be positive")
	}
	progress := func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
	var report bytes.Buffer
	err := measure(ctx, rows, *atATime, &report, progress)
	if *markdown != "" {
		err = errors.Join(err, os.WriteFile(*markdown, report.Bytes(), 0o644))
	}
	_, printed := report.WriteTo(stdout)
	return errors.Join(err, printed)
}
