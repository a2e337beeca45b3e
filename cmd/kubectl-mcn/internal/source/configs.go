package source

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
)

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
		add(p.Status.Configuration.Name)
	}
	s.each(func(n *cluster.Node) {
		add(n.Current.Config)
		add(n.Towards().Config) // its pool may no longer target it
	})
	return slices.Sorted(maps.Keys(unknown))
}

// newTargets returns the selectors of the MachineConfigs of each target that not all nodes had before, and whose
// MachineConfigs were not read yet.
func (s *Store) newTargets() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]string{}
	for _, p := range s.pools {
		target, last := p.Spec.Configuration, p.Status.Configuration
		selector, err := metav1.LabelSelectorAsSelector(p.Spec.MachineConfigSelector)
		isNew := target.Name != last.Name && len(target.Source) > 0 && len(last.Source) > 0
		if isNew && !s.targets[target.Name] && err == nil && !selector.Empty() {
			all[target.Name] = selector.String()
		}
	}
	return all
}

// putSources adds the MachineConfigs of a target, except one that a reader keeps up to date.
func (s *Store) putSources(target string, list []metav1.PartialObjectMetadata, except string) {
	s.edit(func() {
		s.targets[target] = true
		for i := range list {
			if list[i].Name != except {
				s.put(&list[i])
			}
		}
	})
}
