package pool

import (
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
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

// States of a pool's OS image build. The other states are the condition types of a MachineOSBuild.
const (
	notLayered mcfgv1.BuildProgress = ""        // the pool has no MachineOSConfig
	noBuild    mcfgv1.BuildProgress = "None"    // the pool's config has no MachineOSBuild yet
	initial    mcfgv1.BuildProgress = "Initial" // no condition of the MachineOSBuild is True
)

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
		return image{state: noBuild, name: mosc.Name, pullSpec: pullSpec}
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
	return initial
}

// isOn reports whether current, the image that a node runs, is the image of the pool.
func (i image) isOn(current string) bool {
	switch i.state {
	case notLayered:
		return current == ""
	case noBuild:
		return false
	}
	return i.pullSpec != "" && current == i.pullSpec
}

// words has the condition Updating of a layered pool for each state of the build. The first value
// is for a pool that is not paused, and the second for a paused pool. The messages are copied from
// machine-config-operator, because e2e tests of OpenShift compare them. %s is image.name.
var words = map[mcfgv1.BuildProgress][2]finding{
	noBuild: {{true, reasonImageBuilding, "Pool is waiting for a new OS image build to start (mosc: %s)"},
		{true, reasonPausedWhileBuilding, "Pool is paused; waiting for a new OS image build to start (mosc: %s)"}},
	initial: {{true, reasonImageBuilding, "Pool is waiting for OS image build to start (mosb: %s)"},
		{true, reasonPausedWhileBuilding, "Pool is paused; OS image build has been created but not yet started (mosb: %s)"}},
	mcfgv1.MachineOSBuildPrepared: {{true, reasonImageBuilding, "Pool is waiting for OS image build to start (mosb: %s)"},
		{true, reasonPausedWhileBuilding, "Pool is paused; OS image build has been prepared but will not rollout (mosb: %s)"}},
	mcfgv1.MachineOSBuilding: {{true, reasonImageBuilding, "Pool is waiting for OS image build to complete (mosb: %s)"},
		{true, reasonPausedWhileBuilding, "Pool is paused; OS image build in progress (mosb: %s)"}},
	mcfgv1.MachineOSBuildSucceeded: {{true, reasonNodesUpdating, "Pool is waiting for nodes to apply OS image (mosb: %s)"},
		{false, reasonPaused, "Pool is paused; OS image build completed successfully (mosb: %s)"}},
	mcfgv1.MachineOSBuildFailed: {{false, reasonImageBuildFailed, "Pool update stopped due to OS image build failure (mosb: %s)"},
		{false, reasonPaused, "Pool is paused; OS image build failed (mosb: %s)"}},
	mcfgv1.MachineOSBuildInterrupted: {{false, reasonImageBuildInterrupted, "Pool update stopped due to OS image build being interrupted (mosb: %s)"},
		{false, reasonPaused, "Pool is paused; OS image build was interrupted (mosb: %s)"}},
}

// waiting returns the condition Updating of a layered pool that waits for its image.
func (i image) waiting(paused bool) finding {
	f := words[i.state][0]
	if paused {
		f = words[i.state][1]
	}
	f.message = fmt.Sprintf(f.message, i.name)
	return f
}

// cleared returns ImageBuildDegraded=False if the failure of an earlier build is over. ok is false
// if the condition must not change. Only the build controller sets it to True.
func (i image) cleared(isDegraded bool) (f finding, ok bool) {
	switch i.state {
	case mcfgv1.MachineOSBuildPrepared, mcfgv1.MachineOSBuilding:
		return finding{false, string(mcfgv1.MachineConfigPoolBuilding), "New build started"}, true
	case mcfgv1.MachineOSBuildSucceeded:
		return finding{false, string(mcfgv1.MachineConfigPoolBuildSuccess), "Build completed successfully"}, true
	case noBuild:
		return finding{false, string(mcfgv1.MachineConfigPoolBuildPending), "MachineOSConfig updated/created, waiting for MachineOSBuild"}, isDegraded
	case notLayered:
		return finding{false, "NoLayeredObjects", "No layered pool objects found, clearing stale build degraded condition"}, isDegraded
	}
	return finding{}, false
}
