package plan

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

// Follow returns the state with the owner references and the spec that follow the node.
//
//  1. A pool that is NotYetSet, and a config that the node does not name, change nothing.
//  2. In image mode, an image that the node does not name is cleared, if it names a config.
func (s State) Follow(n Node) State {
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

// Follows reports whether owner references and spec are those of Follow.
func (s State) Follows(n Node) bool {
	followed := s.Follow(n)
	return s.Spec == followed.Spec && slices.Equal(s.Owners, followed.Owners)
}
