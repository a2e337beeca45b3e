package pool

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/openshift/upgrademonitor/internal/poolwords"
)

// Options has the objects that the status of a layered pool depends on. If the pool is not layered,
// pass the zero value. Then a node is updated only if it has no custom OS image.
type Options struct {
	// MachineOSConfig is nil if the pool is not layered. Then MachineOSBuild is ignored.
	MachineOSConfig *mcfgv1.MachineOSConfig
	// MachineOSBuild is the current build of the MachineOSConfig, or nil. A build for another
	// MachineConfig or another MachineOSConfig is ignored.
	MachineOSBuild *mcfgv1.MachineOSBuild
}

// notLayered is the state of a pool that has no MachineOSConfig. The other states are the condition
// types of a MachineOSBuild, and the states of package poolwords.
const notLayered mcfgv1.BuildProgress = ""

// image is the OS image that the nodes of a pool should have.
type image struct {
	state mcfgv1.BuildProgress
	// name is the name of the MachineOSBuild, or of the MachineOSConfig if there is no build.
	name string
	// pullSpec is status.currentImagePullSpec of the MachineOSConfig.
	pullSpec string
	// exists is true if pullSpec is the image for the pool's config, or if the pool is not layered.
	exists bool
}

// newImage returns the image of a pool. config is the name of the pool's MachineConfig.
func newImage(options Options, config string) image {
	mosc, mosb := options.MachineOSConfig, options.MachineOSBuild
	if mosc == nil {
		return image{exists: true}
	}
	pullSpec := string(mosc.Status.CurrentImagePullSpec)
	if mosb == nil || isAnother(mosb.Spec.MachineConfig.Name, config) || isAnother(mosb.Spec.MachineOSConfig.Name, mosc.Name) {
		return image{state: poolwords.None, name: mosc.Name, pullSpec: pullSpec}
	}
	i := image{state: stateOf(mosb), name: mosb.Name, pullSpec: pullSpec}
	built := string(mosb.Status.DigestedImagePushSpec)
	i.exists = i.state == mcfgv1.MachineOSBuildSucceeded && pullSpec != "" && (built == "" || built == pullSpec)
	return i
}

func isAnother(name, want string) bool { return name != "" && name != want }

// stateOf returns the state of a build. If several conditions are True, the first of them in the
// list below counts, as in machine-config-operator.
func stateOf(mosb *mcfgv1.MachineOSBuild) mcfgv1.BuildProgress {
	for _, state := range []mcfgv1.BuildProgress{mcfgv1.MachineOSBuildPrepared, mcfgv1.MachineOSBuilding,
		mcfgv1.MachineOSBuildSucceeded, mcfgv1.MachineOSBuildFailed, mcfgv1.MachineOSBuildInterrupted} {
		if meta.IsStatusConditionTrue(mosb.Status.Conditions, string(state)) {
			return state
		}
	}
	return poolwords.Initial
}

// isOn reports whether current, the image that a node runs, is the image of the pool.
func (i image) isOn(current string) bool {
	switch i.state {
	case notLayered:
		return current == ""
	case poolwords.None:
		return false
	}
	return i.pullSpec != "" && current == i.pullSpec
}

// waiting returns the condition Updating of a layered pool that waits for its image.
func (i image) waiting(paused bool) finding {
	b := poolwords.BuildOf(i.state, paused)
	return finding{b.IsUpdating, b.Reason, b.Message(i.name)}
}

// cleared returns ImageBuildDegraded=False if the failure of an earlier build is over. ok is false
// if the condition must not change. Only the build controller sets it to True.
func (i image) cleared(isDegraded bool) (f finding, ok bool) {
	switch i.state {
	case mcfgv1.MachineOSBuildPrepared, mcfgv1.MachineOSBuilding:
		return finding{false, string(mcfgv1.MachineConfigPoolBuilding), "New build started"}, true
	case mcfgv1.MachineOSBuildSucceeded:
		return finding{false, string(mcfgv1.MachineConfigPoolBuildSuccess), "Build completed successfully"}, true
	case poolwords.None:
		return finding{false, string(mcfgv1.MachineConfigPoolBuildPending), "MachineOSConfig updated/created, waiting for MachineOSBuild"}, isDegraded
	case notLayered:
		return finding{false, "NoLayeredObjects", "No layered pool objects found, clearing stale build degraded condition"}, isDegraded
	}
	return finding{}, false
}
