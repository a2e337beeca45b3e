package source

import (
	"maps"
	"slices"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

// objects returns the objects for package cluster. The caller holds the lock.
func (s *Store) objects() cluster.Objects {
	o := cluster.Objects{
		Pools: slices.Collect(maps.Values(s.pools)), Nodes: make([]cluster.Node, 0, len(s.members)),
		HasNodes: s.resources[coreNodes] != nil, Facts: s.facts,
	}
	s.each(func(n *cluster.Node) { o.Nodes = append(o.Nodes, *n) })
	return o
}

// each calls do for each node, without a copy of the nodes. The caller holds the lock.
func (s *Store) each(do func(*cluster.Node)) {
	for _, m := range s.members {
		if m.node == nil && m.mcn == nil {
			continue
		}
		if m.value == nil {
			value := cluster.NewNode(m.node, m.mcn)
			if !s.facts.Older.IsZero() && m.mcn != nil {
				value = cluster.NewNode(nil, m.mcn).In(m.node)
			}
			m.value = &value
		}
		do(m.value)
	}
}

// unknownConfigs returns the names of the rendered configs that pools or nodes have, but that
// are not known yet.
func (s *Store) unknownConfigs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	unknown := map[string]bool{}
	add := func(config string) {
		if _, known := s.facts.Configs[config]; !known && config != "" {
			unknown[config] = true
		}
	}
	for _, p := range s.pools {
		add(p.Spec.Configuration.Name)
	}
	s.each(func(n *cluster.Node) { add(n.Current.Config) })
	return slices.Sorted(maps.Keys(unknown))
}
