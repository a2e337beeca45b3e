package pool

import (
	"cmp"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/openshift/upgrademonitor/internal/poolwords"
)

// Options has the objects that the status of a layered pool (a pool with its own OS image) depends
// on. If the pool is not layered, pass the zero value. Then a node that has its own OS image does not
// count as updated.
type Options struct {
	// MachineOSConfig is nil if the pool is not layered. Then MachineOSBuild is ignored.
	MachineOSConfig *mcfgv1.MachineOSConfig
	// MachineOSBuild is the current build of the MachineOSConfig, or nil. A build for another
	// MachineConfig or another MachineOSConfig is ignored. A build that names no MachineOSConfig, as in the
	// tests of machine-config-operator, belongs to this one.
	MachineOSBuild *mcfgv1.MachineOSBuild
}

// notLayered is the value of image.build if the pool has no MachineOSConfig. Otherwise image.build
// is a condition type of a MachineOSBuild, poolwords.None or poolwords.Initial.
const notLayered mcfgv1.BuildProgress = ""

// image is the OS image that the nodes of a pool should have.
type image struct {
	// build is the state of the MachineOSBuild, or notLayered.
	build mcfgv1.BuildProgress
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
	if mosb == nil || mosb.Spec.MachineConfig.Name != config || cmp.Or(mosb.Spec.MachineOSConfig.Name, mosc.Name) != mosc.Name {
		return image{build: poolwords.None, name: mosc.Name}
	}
	pullSpec := string(mosc.Status.CurrentImagePullSpec)
	i := image{build: stateOf(mosb), name: mosb.Name, pullSpec: pullSpec}
	built := string(mosb.Status.DigestedImagePushSpec)
	isNamed := pullSpec != "" && (built == "" || built == pullSpec)
	i.exists = i.build == mcfgv1.MachineOSBuildSucceeded && isNamed
	return i
}

var buildStates = []mcfgv1.BuildProgress{
	mcfgv1.MachineOSBuildPrepared,
	mcfgv1.MachineOSBuilding,
	mcfgv1.MachineOSBuildSucceeded,
	mcfgv1.MachineOSBuildFailed,
	mcfgv1.MachineOSBuildInterrupted,
}

// stateOf returns the state of a build: the first of buildStates whose condition is True, or
// poolwords.Initial. machine-config-operator checks the conditions in the same order.
func stateOf(mosb *mcfgv1.MachineOSBuild) mcfgv1.BuildProgress {
	for _, state := range buildStates {
		if meta.IsStatusConditionTrue(mosb.Status.Conditions, string(state)) {
			return state
		}
	}
	return poolwords.Initial
}

// isOn reports whether current, the image that a node runs, is the image of the pool.
func (i image) isOn(current string) bool {
	switch i.build {
	case notLayered:
		return current == ""
	case poolwords.None:
		return false
	}
	return i.pullSpec != "" && current == i.pullSpec
}

// waiting returns the condition Updating of a layered pool while its image is not on all nodes.
func (i image) waiting(paused bool) finding {
	b := poolwords.BuildOf(i.build, paused)
	return finding{b.IsUpdating, b.Reason, b.Message(i.name)}
}

// cleared returns ImageBuildDegraded=False if a newer build runs or has succeeded, or if there is
// no build. Otherwise the condition must not change, and ok is false: only the build controller
// sets ImageBuildDegraded to True. isDegraded says whether the condition is True now.
func (i image) cleared(isDegraded bool) (f finding, ok bool) {
	switch i.build {
	case mcfgv1.MachineOSBuildPrepared, mcfgv1.MachineOSBuilding:
		return finding{false, string(mcfgv1.MachineConfigPoolBuilding), "New build started"}, true
	case mcfgv1.MachineOSBuildSucceeded:
		return finding{false, string(mcfgv1.MachineConfigPoolBuildSuccess), "Build completed successfully"}, true
	case poolwords.None:
		f = finding{
			reason:  string(mcfgv1.MachineConfigPoolBuildPending),
			message: "MachineOSConfig updated/created, waiting for MachineOSBuild",
		}
		return f, isDegraded
	case notLayered:
		f = finding{
			reason:  "NoLayeredObjects",
			message: "No layered pool objects found, clearing stale build degraded condition",
		}
		return f, isDegraded
	}
	return finding{}, false
}
