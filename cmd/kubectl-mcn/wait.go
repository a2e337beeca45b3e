package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// stillInterval is after how long wait says that nothing has moved.
const stillInterval = time.Minute

// waiting waits for pools.
type waiting struct {
	sourceFlags
	goal
}

func newWait(c *cli) *cobra.Command {
	w := &waiting{sourceFlags: sourceFlags{cli: c, noHealth: true}}
	cmd := &cobra.Command{
		Use: "wait [POOL...] [flags]", Short: "return when pools are done",
		Long: "Return when pools are done: 0 done, 1 stuck or degraded, 2 usage or no cluster,\n3 timeout.",
		RunE: w.run, ValidArgsFunction: w.complete(false),
	}
	flags := cmd.Flags()
	flags.StringVar(&w.what, "for", forDone, "done, or begun")
	flags.DurationVar(&w.timeout, "timeout", 0, "how long to wait in all; 0 is forever")
	flags.StringArrayVar(&w.before, "from", nil, "`CONFIG[,IMAGE]` before: another one is done")
	flags.DurationVar(&w.beginWithin, "begin-within", time.Minute, "with --from, when it must begin")
	flags.DurationVar(&w.tolerate, "tolerate", 5*time.Minute, "how long it may be stuck or degraded")
	w.bind(cmd, false)
	_ = cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions([]string{forDone, forBegun}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (w *waiting) run(cmd *cobra.Command, args []string) error {
	w.names = args
	if err := w.check(cmd.Flags().Changed("begin-within")); err != nil {
		return err
	}
	if err := w.open(cmd, false); err != nil {
		return err
	}
	if s, ok := w.source.(*source.Simulated); ok { // its rollout begins when it is followed
		w.before, w.beginWithin = append(w.before, s.Before...), math.MaxInt64
	}
	return w.wait(cmd.Context())
}

// check validates the options.
func (w *waiting) check(beginWithin bool) error {
	switch {
	case slices.ContainsFunc(w.before, func(from string) bool { return from == "" || strings.HasPrefix(from, ",") }):
		return source.Usagef("--from is empty: name the config that the pool has before the update")
	case beginWithin && len(w.before) == 0:
		return source.Usagef("--begin-within requires --from")
	case w.what != forDone && w.what != forBegun:
		return source.Usagef("--for %q: use done or begun", w.what)
	}
	return notNegative(map[string]time.Duration{"timeout": w.timeout, "begin-within": w.beginWithin, "tolerate": w.tolerate})
}

// wait waits, and prints each move on the way.
func (w *waiting) wait(ctx context.Context) error {
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	if w.timeout > 0 {
		defer time.AfterFunc(w.timeout, cancel).Stop()
	}
	moves := moveLog{cli: w.cli}
	j := &judge{goal: w.goal, begin: w.source.Now()}
	var moved time.Time
	err := w.follow(bounded, func(v source.View) (bool, error) {
		for _, err := range v.Denied {
			return true, err // what is not seen cannot be waited for
		}
		v, err := j.pools(v)
		if err != nil {
			return true, err
		}
		n, err := moves.show(v)
		if err != nil {
			return true, err
		}
		isStill := !moved.IsZero() && v.Time.Sub(moved) >= stillInterval
		if n > 0 || moved.IsZero() || isStill {
			moved = v.Time
		}
		for _, p := range v.Pools {
			if n == 0 && isStill && !p.IsDone() {
				_, _ = fmt.Fprintf(w.Out, "%s %s %d/%d still: %s\n", v.Time.Format(time.TimeOnly), screen.Clean(p.Name, 0), p.Done, p.Total(), screen.Counts(p))
			}
		}
		return j.judge(v)
	})
	if errors.Is(err, context.Canceled) && bounded.Err() != nil && ctx.Err() == nil {
		err = &exitError{exitTimeout, j.unfinished()}
	}
	return w.conclude(j, err)
}

// conclude prints a summary at the end, or what is in the way as the snapshot says it.
func (w *waiting) conclude(j *judge, err error) error {
	var failed *exitError
	switch {
	case j.last.Time.IsZero():
	case err == nil:
		_, _ = io.WriteString(w.Out, j.summary())
	case errors.As(err, &failed):
		lines := append([]screen.Line{{}}, screen.Snapshot(j.last.Pools, w.size(j.last, false, false))...)
		_ = w.terminal.Print(w.Out, lines) // the error matters more
	}
	return err
}
