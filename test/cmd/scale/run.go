package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
)

// run makes the measurements and prints their tables on stdout, and its progress on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	logf := func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
	compared, grown, err := measure(ctx, o, logf)
	if len(compared)+len(grown) == 0 {
		return err
	}
	var report bytes.Buffer
	writeReport(&report, compared, grown)
	if o.markdown != "" {
		if err := os.WriteFile(o.markdown, report.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if _, err := report.WriteTo(stdout); err != nil {
		return err
	}
	return err
}

// measure makes the measurements one by one. If one fails, or ctx ends, it returns those before it, too:
// they took minutes.
func measure(ctx context.Context, o options, logf func(string, ...any)) (compared [][]result, grown []result, err error) {
	if o.compare > 0 {
		for _, calls := range [][]call{shortUpdate, rebootUpdate} {
			results, err := comparison{nodes: o.compare, atATime: o.compareAtATime, clients: o.clients, calls: calls}.run(ctx, logf)
			if err != nil {
				return compared, nil, fmt.Errorf("cannot compare: %w", err)
			}
			compared = append(compared, results)
		}
	}
	for _, n := range o.nodes {
		r, err := growth{nodes: n, atATime: o.atATime}.run(ctx, logf)
		if err != nil {
			return compared, grown, fmt.Errorf("cannot measure %d nodes: %w", n, err)
		}
		grown = append(grown, r)
	}
	return compared, grown, nil
}
