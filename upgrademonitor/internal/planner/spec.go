package planner

import (
	"slices"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
)

// WithSpecOf returns the state with the owner references and the spec that match a Node. If the Node has no
// pool or no desired config, that of the spec stays unchanged. The desired image stays unchanged in
// standard mode, and if the Node has no config.
func (s State) WithSpecOf(n Node) State {
	s.Owners = nodemeta.ReplaceOwner(s.Owners, n.Owner)
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
	if n.withModeOf(s).Mode == Image && n.hasConfig() && !n.InvalidDesiredImage {
		s.Spec.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(n.DesiredImage)
	}
	return s
}

// HasSpecOf reports whether the owner references and the spec match the Node.
func (s State) HasSpecOf(n Node) bool {
	want := s.WithSpecOf(n)
	return s.Spec == want.Spec && slices.Equal(s.Owners, want.Owners)
}
