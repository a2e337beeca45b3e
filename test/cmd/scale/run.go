package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
)

// run makes the measurements and prints their tables on stdout, and what it does on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	say := func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
	var compared [][]result
	var grown []result
	if o.compare > 0 {
		for _, calls := range [][]call{shortUpdate, rebootUpdate} {
			results, err := comparison{nodes: o.compare, atATime: o.compareAtATime, clients: o.clients, calls: calls}.run(ctx, say)
			if err != nil {
				return fmt.Errorf("cannot compare: %w", err)
			}
			compared = append(compared, results)
		}
	}
	for _, n := range o.nodes {
		r, err := growth{nodes: n, atATime: o.atATime}.run(ctx, say)
		if err != nil {
			return fmt.Errorf("cannot measure %d nodes: %w", n, err)
		}
		grown = append(grown, r)
	}
	var report bytes.Buffer
	writeReport(&report, compared, grown)
	if o.markdown != "" {
		if err := os.WriteFile(o.markdown, report.Bytes(), 0o644); err != nil {
			return err
		}
	}
	_, err = report.WriteTo(stdout)
	return err
}
