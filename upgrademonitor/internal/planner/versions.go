package planner

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/phases"
)

// withVersions returns the state with the configs and, in image mode, the images of the Node.
//
//  1. The current config and the current image of the Node are copied.
//  2. The desired config and the desired image are copied if prepared is set (UpdatePrepared turns
//     True), or if ended is set (Updated is True) and the Node already runs them. Otherwise the daemon
//     may not have validated them yet.
//  3. A missing image annotation removes the image from the status: the desired image under the
//     conditions of rule 2, and the current image if ended is set.
//  4. If the status has no image, and the Node already runs its desired image, both are copied.
//  5. If the Node has no config annotation, the images in the status stay unchanged.
func (s State) withVersions(n Node, prepared, ended bool) State {
	config := versionOf(s.Status)
	if n.CurrentConfig != "" {
		config.Current = n.CurrentConfig
	}
	if n.DesiredConfig != "" && prepared || ended && n.runsDesired() {
		config.Desired = n.DesiredConfig
	}
	if config.Desired == "" {
		config.Desired = nodemeta.NotYetSet
	}
	s.Status.ConfigVersion = &config
	if n.Mode == Image && n.hasConfig() {
		known := s.Status.ConfigImage != mcfgv1.MachineConfigNodeStatusConfigImage{}
		if n.CurrentImage != "" || ended && !n.InvalidCurrentImage {
			s.Status.ConfigImage.CurrentImage = mcfgv1.ImageDigestFormat(n.CurrentImage)
		}
		runs := n.CurrentImage == n.DesiredImage && !n.InvalidCurrentImage
		if !n.InvalidDesiredImage && (prepared || runs && (ended || !known)) {
			s.Status.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(n.DesiredImage)
		}
	}
	return s
}

// runsSpec reports whether the Node runs what the spec desires. A Node without a config may run anything.
func (s State) runsSpec(n Node) bool {
	return n.CurrentConfig == "" || n.runs(s.Spec.ConfigVersion.Desired, s.Spec.ConfigImage.DesiredImage)
}

// overstates reports whether clients would conclude from Updated=True that the Node runs what the spec desires, although
// it does not.
func (s State) overstates(n Node) bool {
	return s.Status.ObservedGeneration >= s.Generation && !s.runsSpec(n)
}

// withObservedGeneration sets observedGeneration to the generation of the object, if clients then cannot conclude from
// Updated=True that an update to the target in the spec is done, although the daemon has not taken it up:
//
//  1. if takesUp is set, because the change takes up the spec;
//  2. while an update is under way, if the spec and the status desire the same. But until UpdatePrepared is True, the
//     status has the target of the last update;
//  3. while no update is under way, if the Node runs what the spec desires. The status must desire the same, unless Updated
//     was never reported.
func (s State) withObservedGeneration(n Node, takesUp bool) State {
	isSame := s.Spec.ConfigVersion.Desired == versionOf(s.Status).Desired &&
		(n.Mode != Image || s.Spec.ConfigImage.DesiredImage == s.Status.ConfigImage.DesiredImage)
	isRun := s.runsSpec(n) && (isSame && s.isTrue(phases.Updated) || s.neverReported(phases.Updated))
	if takesUp || isRun || isSame && s.isUnderWay() && s.isTrue(phases.UpdatePrepared) {
		s.Status.ObservedGeneration = max(s.Status.ObservedGeneration, s.Generation)
	}
	return s
}
