package main

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/openshift/upgrademonitor/examples/internal/screen"
)

const waitHelp = `kubectl mcn wait returns when pools are done: all, or those that are named. It prints each move
on the way.

Usage:
  kubectl mcn wait [POOL...] [flags]

It exits with
  0  when the pools are done
  1  when a node has been stuck or degraded for longer than --tolerate
  2  where there is no cluster, no such pool, or a flag is wrong
  3  after --timeout, or when no update has begun within --begin-within

A pool may look done before an update begins. With --from, it is done at another target only:
  from=$(oc get mcp worker -o jsonpath='{.spec.configuration.name}')
  oc apply -f machineconfig.yaml
  kubectl mcn wait worker --from "$from" --timeout 1h
`

// waiting is the options of wait.
type waiting struct {
	choice
	timeout     time.Duration
	from        []string
	beginWithin time.Duration
	tolerate    time.Duration
	output      string
	quiet       bool
}

func runWait(ctx context.Context, p cli, args []string) error {
	var w waiting
	var from sourceFlags
	flags := newFlags("mcn wait", waitHelp, p.Out)
	flags.DurationVar(&w.timeout, "timeout", 0, "how long to wait in all; 0 is forever")
	flags.StringArrayVar(&w.from, "from", nil, "the `config` that a pool is updated from: done counts only at another target")
	flags.DurationVar(&w.beginWithin, "begin-within", time.Minute, "with --from, how long it may take until the pools have another target")
	flags.DurationVar(&w.tolerate, "tolerate", 5*time.Minute, "how long a node may be stuck or degraded")
	flags.StringVarP(&w.output, "output", "o", "", "`format` of the moves: json")
	flags.BoolVarP(&w.quiet, "quiet", "q", false, "print nothing but what went wrong")
	from.simulate.bind(flags)
	from.cluster.bind(flags)
	if err := parse(flags, args); err != nil {
		return err
	}
	if err := w.check(flags.Changed("begin-within")); err != nil {
		return err
	}
	if err := w.complete(flags.Args()); err != nil {
		return err
	}
	src, err := from.open(ctx, p, false)
	if err != nil {
		return err
	}
	if s, ok := src.(*simulated); ok {
		// Its rollout begins when it is followed.
		if len(w.from) > 0 {
			return usage("--simulate and --from exclude each other")
		}
		if w.from, err = s.targets(ctx); err != nil {
			return err
		}
		w.beginWithin = math.MaxInt64
	}
	return w.run(ctx, p, src)
}

// check validates the options.
func (w waiting) check(beginWithin bool) error {
	for name, d := range map[string]time.Duration{"timeout": w.timeout, "begin-within": w.beginWithin, "tolerate": w.tolerate} {
		if d < 0 {
			return usage("--%s %s is negative", name, d)
		}
	}
	for _, config := range w.from {
		if config == "" {
			return usage("--from is empty: name the config that the pool has before the update")
		}
	}
	if beginWithin && len(w.from) == 0 {
		return usage("--begin-within requires --from")
	}
	return output(w.output, formatJSON)
}

// run waits.
func (w waiting) run(ctx context.Context, p cli, src source) error {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if w.timeout > 0 {
		bounded, cancel = context.WithCancel(ctx)
		timer := p.clock.NewTimer(w.timeout)
		defer timer.Stop()
		go func() {
			select {
			case <-timer.C():
				cancel()
			case <-bounded.Done():
			}
		}()
	}
	defer cancel()

	zone := src.now().Location()
	moves := &moveLog{choice: w.choice, write: func(moves []screen.Move) error {
		switch {
		case w.quiet:
			return nil
		case w.output == formatJSON:
			return writeMoves(p.Out, moves)
		}
		return writeLines(p.Out, zone, moves, false)
	}}
	j := newJudge(w, src.now())
	err := watchViews(bounded, p.clock, src, trimmerOf(w.choice), func(v view) (bool, error) {
		v, err := j.pools(v)
		if err != nil {
			return true, err
		}
		if err := moves.show(v); err != nil {
			return true, err
		}
		verdict := j.judge(v)
		if verdict.err != nil {
			return true, &exitError{verdict.code, verdict.err}
		}
		return verdict.done, nil
	})
	if err != nil && bounded.Err() != nil && ctx.Err() == nil && errors.Is(err, context.Canceled) {
		return &exitError{exitTimeout, j.unfinished(w.timeout)}
	}
	return err
}
