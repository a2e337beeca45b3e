package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// stillInterval is after how long wait says that nothing has moved.
const stillInterval = time.Minute

// waiting is the options of wait.
type waiting struct {
	*cli
	choice      choice
	from        sourceFlags
	what        string
	timeout     time.Duration
	before      []string
	beginWithin time.Duration
	tolerate    time.Duration
	output      string
	quiet       bool
}

func newWait(c *cli) *cobra.Command {
	w := &waiting{cli: c, from: sourceFlags{noHealth: true}}
	cmd := &cobra.Command{
		Use: "wait [POOL...] [flags]", Short: "return when pools are done",
		Long: "Return when pools are done: 0 done, 1 stuck or degraded, 2 usage or no cluster,\n3 timeout.",
		RunE: func(cmd *cobra.Command, args []string) error { return w.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&w.what, "for", "done", "done, or begun")
	flags.DurationVar(&w.timeout, "timeout", 0, "how long to wait in all; 0 is forever")
	flags.StringArrayVar(&w.before, "from", nil, "`CONFIG[,IMAGE]` before: another one is done")
	flags.DurationVar(&w.beginWithin, "begin-within", time.Minute, "with --from, when it must begin")
	flags.DurationVar(&w.tolerate, "tolerate", 5*time.Minute, "how long it may be stuck or degraded")
	flags.StringVarP(&w.output, "output", "o", "", "`FORMAT` of the moves: json")
	flags.BoolVarP(&w.quiet, "quiet", "q", false, "print nothing but what went wrong")
	w.from.bind(cmd, false)
	cmd.ValidArgsFunction = completeFrom(c, &w.from, poolNames)
	_ = cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions([]string{forDone, forBegun}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

const (
	forDone  = "done"
	forBegun = "begun"
)

func (w *waiting) run(cmd *cobra.Command, args []string) error {
	if err := w.check(cmd.Flags().Changed("begin-within")); err != nil {
		return err
	}
	if err := w.choice.complete(args); err != nil {
		return err
	}
	ctx := cmd.Context()
	src, err := w.from.open(ctx, w.cli, false)
	if err != nil {
		return err
	}
	if s, ok := src.(*source.Simulated); ok { // its rollout begins when it is followed
		if len(w.before) > 0 {
			return source.Usagef("--simulate and --from exclude each other")
		}
		st := w.from.store()
		if err := s.Cluster.Load(ctx, st); err != nil {
			return err
		}
		for _, p := range st.Look(src.Now()).Pools {
			w.before = append(w.before, p.Target.Config)
		}
		w.beginWithin = math.MaxInt64
	}
	return w.wait(ctx, src)
}

// check validates the options.
func (w *waiting) check(beginWithin bool) error {
	err := notNegative(map[string]time.Duration{"timeout": w.timeout, "begin-within": w.beginWithin, "tolerate": w.tolerate})
	if err != nil {
		return err
	}
	for _, target := range w.before {
		if parseTarget(target).config == "" {
			return source.Usagef("--from is empty: name the config that the pool has before the update")
		}
	}
	switch {
	case beginWithin && len(w.before) == 0:
		return source.Usagef("--begin-within requires --from")
	case w.what != forDone && w.what != forBegun:
		return source.Usagef("--for %q: use done or begun", w.what)
	case w.output != "" && w.output != formatJSON:
		return source.Usagef("--output %q: use json", w.output)
	}
	return nil
}

// wait waits, and prints each move on the way.
func (w *waiting) wait(ctx context.Context, src source.Source) error {
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	if w.timeout > 0 {
		timer := w.clock.NewTimer(w.timeout)
		defer timer.Stop()
		go func() {
			select {
			case <-timer.C():
				cancel()
			case <-bounded.Done():
			}
		}()
	}
	moves := w.newMoveLog(w.choice, w.output, src.Now().Location())
	if w.quiet {
		moves.write = func(screen.Move) error { return nil }
	}
	j := newJudge(w, src.Now())
	var moved time.Time
	err := w.watchViews(bounded, src, w.from.store(), func(v source.View) (bool, error) {
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
		if n > 0 || moved.IsZero() {
			moved = v.Time
		} else if v.Time.Sub(moved) >= stillInterval {
			moved = v.Time
			w.still(v)
		}
		done, err := j.judge(v)
		return done || err != nil, err
	})
	isTimeout := err != nil && bounded.Err() != nil && ctx.Err() == nil && errors.Is(err, context.Canceled)
	if isTimeout {
		err = &exitError{exitTimeout, j.unfinished()}
	}
	w.conclude(src, j, err)
	return err
}

// still says that nothing has moved.
func (w *waiting) still(v source.View) {
	if w.quiet || w.output == formatJSON {
		return
	}
	for _, p := range v.Pools {
		if !p.IsDone() {
			_, _ = fmt.Fprintf(w.Out, "%s %s %d/%d still: %s\n", v.Time.Format(time.TimeOnly), screen.Clean(p.Name, 0), p.Done, p.Total(), screen.Counts(p))
		}
	}
}

// conclude prints a summary at the end, or what is in the way as the snapshot says it.
func (w *waiting) conclude(src source.Source, j *judge, err error) {
	var failed *exitError
	switch {
	case w.quiet || w.output == formatJSON || j.last.Time.IsZero():
	case err == nil:
		_, _ = io.WriteString(w.Out, j.summary())
	case errors.As(err, &failed):
		o := w.size(j.last, src, false, false)
		_, _ = io.WriteString(w.Out, "\n")
		_ = w.terminal.Print(w.Out, screen.Snapshot(j.last.Pools, o))
	}
}
