package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run prints a line for each mutation.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("run", "", "make only those edits whose name matches this regular expression")
	if err := flags.Parse(args); err != nil {
		return err
	}
	matches, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	all, err := load("mutations")
	if err != nil {
		return err
	}
	r := &runner{root: root, base: map[string]outcome{}}
	done, failed := 0, 0
	for _, m := range all {
		if !matches.MatchString(m.Name) {
			continue
		}
		start := time.Now()
		result := "noticed"
		if err := r.check(ctx, m); err != nil {
			result, failed = err.Error(), failed+1
		}
		done++
		fmt.Fprintf(stdout, "%-70s %5.1fs  %s\n", m.Name, time.Since(start).Seconds(), result)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if done == 0 {
		return fmt.Errorf("no mutation matches %q", *only)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d mutations were not noticed by their test", failed, done)
	}
	fmt.Fprintf(stdout, "%d mutations, each noticed by its test\n", done)
	return nil
}
