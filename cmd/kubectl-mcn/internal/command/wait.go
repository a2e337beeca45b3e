package command

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/screen"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
)

// waiting is the command wait: its flags and its state.
type waiting struct {
	sourceFlags
	check
	timeout time.Duration
}

func newWait(c *CLI) *cobra.Command {
	w := &waiting{sourceFlags: sourceFlags{CLI: c, ofRollout: true, needsAll: true}}
	cmd := &cobra.Command{
		Use: "wait [POOL...]", Short: "wait until pools are done",
		Long: "Wait until pools are done. Print a line when the state of a pool changes.\n" +
			"Exit codes: 0 all pools are done; 1 a pool is stuck, degraded, blocked or\n" +
			"paused; 2 wrong usage or no cluster; 3 timeout; 130 interrupted.",
		RunE: w.run,
	}
	flags := cmd.Flags()
	flags.DurationVar(&w.timeout, "timeout", 0, "time limit of wait; 0 means no limit")
	flags.StringArrayVar(&w.before, "from", nil, "wait while a pool still has this `CONFIG[,IMAGE]`")
	flags.StringVar(&w.change.config, "machineconfig", "", "wait until pools have the MachineConfig `NAME`")
	flags.BoolVar(&w.change.isRemoved, "removed", false, "with --machineconfig: until no pool has it")
	flags.DurationVar(&w.tolerate, "tolerate", 5*time.Minute, "how long a problem may last")
	w.bind(cmd)
	return cmd
}

func (w *waiting) run(cmd *cobra.Command, args []string) error {
	if slices.ContainsFunc(w.before, func(from string) bool { return strings.Split(from, ",")[0] == "" }) {
		return source.Usagef("--from is empty: set it to the config of the pool before the update")
	}
	switch {
	case w.change.isRemoved && w.change.config == "":
		return source.Usagef("--removed requires --machineconfig")
	case w.change.config != "" && len(args) == 0:
		return source.Usagef("--machineconfig requires the names of the pools that select it")
	}
	w.names, w.ofConfig = args, w.change.config
	return w.wait(cmd.Context())
}

// wait prints a line for each pool, and another line when the state of the pool changes. At the
// end, it prints "done", or the screen with the problems.
func (w *waiting) wait(ctx context.Context) error {
	bounded, cancel := context.WithCancel(ctx)
	defer cancel()
	if w.timeout > 0 {
		defer w.clock.AfterFunc(w.timeout, cancel).Stop()
	}
	c := &w.check
	standing := map[string]string{} // the last printed line of each pool
	err := w.follow(bounded, func(v source.View) (bool, error) {
		c.origin = w.source.Origin()
		v, err := c.pools(v)
		if err != nil {
			return true, err
		}
		if err := c.change.observe(v); err != nil {
			return true, err
		}
		c.last = v
		for _, p := range v.Pools {
			if line := c.standing(p); standing[p.Name] != line {
				standing[p.Name] = line
				text := v.Time.Format(time.TimeOnly) + " " + line
				if err := w.terminal.Print(w.Out, screen.Wrapped(text, w.options(v, false).Width)); err != nil {
					return true, err
				}
			}
		}
		return c.decide(v)
	})
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = &exitError{exitTimeout, c.unfinished("within " + w.timeout.String())}
	}
	_, isFailed := errors.AsType[*exitError](err)
	switch {
	case c.last.Time.IsZero():
	case err == nil:
		lines := screen.Outside(c.last.Cluster, w.options(c.last, false))
		err = w.terminal.Print(w.Out, append(lines, screen.Line{Text: "done"}))
	case isFailed:
		lines := append([]screen.Line{{}}, screen.Snapshot(c.last.Cluster, w.options(c.last, false))...)
		_ = w.terminal.Print(w.Out, lines) // err is more important than a failed write
	}
	return err
}
