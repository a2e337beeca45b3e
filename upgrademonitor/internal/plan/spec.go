package plan

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

// Sync returns the state with the owner references and the spec that match a Node.
//
//  1. If the pool is NotYetSet, the spec keeps its pool. If the Node has no desired config, the
//     spec keeps its desired config.
//  2. In image mode, if the Node has a config but no desired image, Sync clears the image.
func (s State) Sync(n Node) State {
	s.Owners = nodemeta.ReplaceOwner(s.Owners, n.Owner)
	images := s.images(n) && n.hasConfig() && !n.InvalidDesiredImage
	s.Spec.Node.Name = n.Owner.Name
	if n.Pool != nodemeta.NotYetSet || s.Spec.Pool.Name == "" {
		s.Spec.Pool.Name = n.Pool
	}
	if n.DesiredConfig != "" {
		s.Spec.ConfigVersion.Desired = n.DesiredConfig
	}
	if s.Spec.ConfigVersion.Desired == "" {
		s.Spec.ConfigVersion.Desired = nodemeta.NotYetSet
	}
	if images {
		s.Spec.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(n.DesiredImage)
	}
	return s
}

// InSync reports whether the owner references and the spec match a Node, or are not written by this
// process.
func (s State) InSync(n Node) bool {
	if n.ConditionsOnly {
		return true
	}
	synced := s.Sync(n)
	return s.Spec == synced.Spec && slices.Equal(s.Owners, synced.Owners)
}
