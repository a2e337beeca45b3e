package plan

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

// Sync returns the state with the owner references and the spec that match a Node. If n.Pool is
// NotYetSet, the spec keeps its pool. If the Node has no desired config, the spec keeps its desired
// config. In image mode, if the Node has a config but no desired image, Sync removes the image from
// the spec.
func (s State) Sync(n Node) State {
	s.Owners = nodemeta.ReplaceOwner(s.Owners, n.Owner)
	hasImage := s.isImageMode(n) && n.hasConfig() && !n.InvalidDesiredImage
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
	if hasImage {
		s.Spec.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(n.DesiredImage)
	}
	return s
}

// InSync reports whether this process has no reason to write the owner references and the spec: they
// match the Node, or the process writes only conditions.
func (s State) InSync(n Node) bool {
	if n.ConditionsOnly {
		return true
	}
	synced := s.Sync(n)
	return s.Spec == synced.Spec && slices.Equal(s.Owners, synced.Owners)
}
