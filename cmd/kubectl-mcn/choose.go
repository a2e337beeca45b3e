package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

var states = []string{"done", "updating", "stuck", "waiting", "unreported"}

// choice selects pools and nodes.
type choice struct {
	pools []string
	state string
}

func (c *choice) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.state, "state", "", "only done, updating, stuck, waiting, unreported")
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(states, cobra.ShellCompDirectiveNoFileComp))
}

func (c *choice) complete(pools []string) error {
	c.pools, c.state = pools, strings.ToLower(c.state)
	if c.state != "" && !slices.Contains(states, c.state) {
		return source.Usagef("--state %q: use one of %s", c.state, strings.Join(states, ", "))
	}
	return nil
}

// choose returns a view of the requested pools, with a selector only of those with matching nodes.
// The figures of a pool are still those of all its nodes.
func (c choice) choose(v source.View) (source.View, error) {
	if len(c.pools) > 0 {
		var chosen []progress.Pool
		for _, name := range c.pools {
			i := slices.IndexFunc(v.Pools, func(p progress.Pool) bool { return p.Name == name })
			if i < 0 {
				return v, unknownPool(name, v.Pools)
			}
			if !slices.ContainsFunc(chosen, func(p progress.Pool) bool { return p.Name == name }) {
				chosen = append(chosen, v.Pools[i])
			}
		}
		v.Pools = chosen
	}
	if v.Chosen != nil {
		v.Pools = slices.DeleteFunc(slices.Clone(v.Pools), func(p progress.Pool) bool {
			return !slices.ContainsFunc(p.Nodes, func(n progress.Node) bool { return v.Chosen[n.Name] })
		})
	}
	return v, nil
}

func unknownPool(name string, pools []progress.Pool) error {
	var names []string
	for _, p := range pools {
		if slices.ContainsFunc(p.Nodes, func(n progress.Node) bool { return n.Name == name }) {
			return source.Usagef("unknown pool %q: it is a node, see kubectl mcn node %s", name, name)
		}
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return source.Usagef("unknown pool %q: the cluster has none", name)
	}
	return source.Usagef("unknown pool %q: the pools are %s", name, strings.Join(names, ", "))
}

// shows returns a filter of the requested nodes of a view, nil for all.
func (c choice) shows(v source.View) func(progress.Node) bool {
	if v.Chosen == nil && c.state == "" {
		return nil
	}
	return func(n progress.Node) bool {
		isChosen := v.Chosen == nil || v.Chosen[n.Name] || n.Name == "" // of a node without an object, only the state is known
		return isChosen && (c.state == "" || strings.EqualFold(string(n.State), c.state))
	}
}

// completeFrom completes names of pools or nodes from the cluster, or the files.
func completeFrom(c *cli, f *sourceFlags, names func(source.View) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), 3*time.Second)
		defer cancel()
		quiet := *c
		quiet.patience = 3 * time.Second
		src, err := f.open(ctx, &quiet, true)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		st := f.store()
		if err := src.Load(ctx, st); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all := slices.DeleteFunc(names(st.Look(src.Now())), func(name string) bool {
			return !strings.HasPrefix(name, prefix) || slices.Contains(args, name)
		})
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

func poolNames(v source.View) (names []string) {
	for _, p := range v.Pools {
		names = append(names, p.Name)
	}
	return names
}

func nodeNames(v source.View) (names []string) {
	for _, p := range v.Pools {
		for _, n := range p.Nodes {
			names = append(names, n.Name)
		}
	}
	return names
}
