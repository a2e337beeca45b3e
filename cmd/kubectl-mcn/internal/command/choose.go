package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// choose returns a view of the named pools, all pools if there are no names.
func choose(v source.View, names []string) (source.View, error) {
	chosen := []progress.Pool{}
	for _, p := range v.Pools {
		if len(names) == 0 || slices.Contains(names, p.Name) {
			chosen = append(chosen, p)
		}
	}
	all := namesOf(v, false)
	for _, name := range names {
		switch {
		case slices.Contains(all, name):
		case slices.Contains(namesOf(v, true), name):
			return v, source.Usagef("unknown pool %q: it is a node, see kubectl mcn node %s", name, name)
		case len(all) == 0:
			return v, source.Usagef("unknown pool %q: the cluster has none", name)
		default:
			return v, source.Usagef("unknown pool %q: the pools are %s", name, strings.Join(all, ", "))
		}
	}
	v.Pools = chosen
	return v, nil
}

// namesOf returns the names of the pools, or of the nodes.
func namesOf(v source.View, ofNodes bool) (names []string) {
	for _, p := range v.Pools {
		if !ofNodes {
			names = append(names, p.Name)
			continue
		}
		for _, n := range p.Nodes {
			names = append(names, n.Name)
		}
	}
	return names
}

// complete completes names of pools or nodes from the cluster, or the files.
func (f *sourceFlags) complete(ofNodes bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) (names []string, _ cobra.ShellCompDirective) {
		f.requestTimeout = 3 * time.Second
		ctx, cancel := context.WithTimeout(cmd.Context(), f.requestTimeout)
		defer cancel()
		_ = f.show(ctx, func(v source.View) error { names = namesOf(v, ofNodes); return nil }) // no names are completed otherwise
		return slices.DeleteFunc(names, func(name string) bool {
			return !strings.HasPrefix(name, prefix) || slices.Contains(args, name)
		}), cobra.ShellCompDirectiveNoFileComp
	}
}
