package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// waiting has the flags and the state of the command wait.
type waiting struct {
	sourceFlags
	check
	timeout time.Duration
}

func newWait(c *CLI) *cobra.Command {
	w := &waiting{sourceFlags: sourceFlags{CLI: c, ofRollout: true}}
	cmd := &cobra.Command{
		Use: "wait [POOL...] [flags]", Short: "wait until pools are done",
		Long: "Wait until pools are done, and print how far they are. The exit code is 0 done,\n" +
			"1 stuck, degraded, blocked or paused, 2 usage or no cluster, 3 timeout.",
		RunE: w.run,
	}
	flags := cmd.Flags()
	flags.DurationVar(&w.timeout, "timeout", 0, "how long to wait in all; 0 is forever")
	flags.StringArrayVar(&w.before, "from", nil, "`CONFIG[,IMAGE]` before: another one is done")
	flags.DurationVar(&w.tolerate, "tolerate", 5*time.Minute, "how long a problem may last")
	w.bind(cmd)
	return cmd
}

func (w *waiting) run(cmd *cobra.Command, args []string) error {
	if slices.ContainsFunc(w.before, func(from string) bool { return from == "" || strings.HasPrefix(from, ",") }) {
		return source.Usagef("--from is empty: name the config that the pool has before the update")
	}
	w.names = args
	return w.wait(cmd.Context())
}

// wait prints the progress of each pool when it changes. At the end it prints "done", or the screen
// with the problems.
func (w *waiting) wait(ctx context.Context) error {
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	if w.timeout > 0 {
		defer time.AfterFunc(w.timeout, cancel).Stop()
	}
	c := &w.check
	standing := map[string]string{} // of each pool, as it was printed
	err := w.follow(bounded, func(v source.View) (bool, error) {
		for _, err := range v.Denied {
			return true, err // what is not seen cannot be waited for
		}
		c.origin = w.source.Origin()
		v, err := c.pools(v)
		if err != nil {
			return true, err
		}
		for _, p := range v.Pools {
			if line := screen.Standing(p); standing[p.Name] != line {
				standing[p.Name] = line
				if _, err := fmt.Fprintln(w.Out, v.Time.Format(time.TimeOnly), line); err != nil {
					return true, err
				}
			}
		}
		return c.view(v)
	})
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = &exitError{exitTimeout, c.unfinished("within " + w.timeout.String())}
	}
	_, isFailed := errors.AsType[*exitError](err)
	switch {
	case c.last.Time.IsZero():
	case err == nil:
		_, err = fmt.Fprintln(w.Out, "done")
	case isFailed:
		lines := append([]screen.Line{{}}, screen.Snapshot(c.last.Pools, w.size(c.last, false))...)
		_ = w.terminal.Print(w.Out, lines) // the error matters more
	}
	return err
}
