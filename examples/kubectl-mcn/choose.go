package main

import (
	"strings"

	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// choose returns a view of the requested pools, with a selector only of those with matching nodes.
// The figures of a pool are still those of all its nodes.
func (c choice) choose(v view) (view, error) {
	if len(c.pools) > 0 {
		pools, err := named(v.pools, c.pools)
		if err != nil {
			return v, err
		}
		v.pools = pools
	}
	if c.matches != nil {
		var pools []progress.Pool
		for _, p := range v.pools {
			for _, n := range p.Nodes {
				if v.selected[n.Name] {
					pools = append(pools, p)
					break
				}
			}
		}
		v.pools = pools
	}
	return v, nil
}

// named returns the pools with these names, each once.
func named(pools []progress.Pool, names []string) ([]progress.Pool, error) {
	var existing []string
	missing := map[string]bool{}
	for _, name := range names {
		missing[name] = true
	}
	var chosen []progress.Pool
	for _, p := range pools {
		existing = append(existing, p.Name)
		if missing[p.Name] {
			chosen = append(chosen, p)
			delete(missing, p.Name)
		}
	}
	for _, name := range names {
		if !missing[name] {
			continue
		}
		if len(existing) == 0 {
			return nil, usage("unknown pool %q: the cluster has none", name)
		}
		return nil, usage("unknown pool %q: the pools are %s", name, strings.Join(existing, ", "))
	}
	return chosen, nil
}

// shows returns a filter of the requested nodes of a view.
func (c choice) shows(v view) func(progress.Node) bool {
	if c.matches == nil && c.state == "" {
		return nil
	}
	stuck := map[string]bool{}
	for _, p := range v.pools {
		for _, s := range p.Stuck {
			stuck[s.Node.Name] = true
		}
	}
	return func(n progress.Node) bool {
		switch {
		case c.matches != nil && !v.selected[n.Name]:
			return false
		case c.state == "":
			return true
		case c.state == stateStuck:
			return stuck[n.Name]
		}
		return lower(n.State) == c.state
	}
}
