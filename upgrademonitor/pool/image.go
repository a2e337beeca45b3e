package pool

import (
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// buildState is the state of the OS image build of a pool.
type buildState string

const (
	notLayered  buildState = ""     // the pool has no MachineOSConfig
	noBuild     buildState = "none" // no MachineOSBuild for the pool's config yet
	initial     buildState = "initial"
	prepared    buildState = "prepared"
	building    buildState = "building"
	succeeded   buildState = "succeeded"
	failed      buildState = "failed"
	interrupted buildState = "interrupted"
)

// image is the OS image that the nodes of a pool should have.
type image struct {
	state buildState
	// name is the name of the MachineOSBuild, or of the MachineOSConfig if there is no build.
	name string
	// pullSpec is the image that the MachineOSConfig names, "" if it names none.
	pullSpec string
	// exists is true if pullSpec is the image for the pool's config, or if the pool is not layered.
	exists bool
}

// newImage returns the image of a pool with this config. A build of another MachineConfig or of
// another MachineOSConfig is no build of the pool.
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
	i.exists = i.state == succeeded && pullSpec != "" && (built == "" || built == pullSpec)
	return i
}

func isAnother(name, want string) bool { return name != "" && name != want }

// stateOf returns the state of a build. If several conditions are True, the first of this list counts,
// as in machine-config-operator.
func stateOf(mosb *mcfgv1.MachineOSBuild) buildState {
	for _, s := range []struct {
		condition mcfgv1.BuildProgress
		state     buildState
	}{
		{mcfgv1.MachineOSBuildPrepared, prepared},
		{mcfgv1.MachineOSBuilding, building},
		{mcfgv1.MachineOSBuildSucceeded, succeeded},
		{mcfgv1.MachineOSBuildFailed, failed},
		{mcfgv1.MachineOSBuildInterrupted, interrupted},
	} {
		for _, c := range mosb.Status.Conditions {
			if c.Type == string(s.condition) && c.Status == metav1.ConditionTrue {
				return s.state
			}
		}
	}
	return initial
}

// isOn reports whether a node that desires and runs these images has the image of the pool.
func (i image) isOn(desired, current string) bool {
	switch i.state {
	case notLayered:
		return desired == "" && current == ""
	case noBuild:
		return false
	}
	return i.pullSpec != "" && desired == i.pullSpec && current == i.pullSpec
}

// words are what Updating says of a layered pool in each state of its build, first if the pool is active,
// then if it is paused. The texts are those of machine-config-operator, which e2e tests compare; %s is the
// name of the object.
var words = map[buildState][2]finding{
	noBuild: {{true, reasonImageBuilding, "Pool is waiting for a new OS image build to start (mosc: %s)"},
		{true, reasonPausedWhileBuilding, "Pool is paused; waiting for a new OS image build to start (mosc: %s)"}},
	initial: {{true, reasonImageBuilding, "Pool is waiting for OS image build to start (mosb: %s)"},
		{true, reasonPausedWhileBuilding, "Pool is paused; OS image build has been created but not yet started (mosb: %s)"}},
	prepared: {{true, reasonImageBuilding, "Pool is waiting for OS image build to start (mosb: %s)"},
		{true, reasonPausedWhileBuilding, "Pool is paused; OS image build has been prepared but will not rollout (mosb: %s)"}},
	building: {{true, reasonImageBuilding, "Pool is waiting for OS image build to complete (mosb: %s)"},
		{true, reasonPausedWhileBuilding, "Pool is paused; OS image build in progress (mosb: %s)"}},
	succeeded: {{true, reasonNodesUpdating, "Pool is waiting for nodes to apply OS image (mosb: %s)"},
		{false, reasonPaused, "Pool is paused; OS image build completed successfully (mosb: %s)"}},
	failed: {{false, reasonImageBuildFailed, "Pool update stopped due to OS image build failure (mosb: %s)"},
		{false, reasonPaused, "Pool is paused; OS image build failed (mosb: %s)"}},
	interrupted: {{false, reasonImageBuildInterrupted, "Pool update stopped due to OS image build being interrupted (mosb: %s)"},
		{false, reasonPaused, "Pool is paused; OS image build was interrupted (mosb: %s)"}},
}

// waiting returns what a layered pool says while it waits for its image.
func (i image) waiting(paused bool) finding {
	f := words[i.state][0]
	if paused {
		f = words[i.state][1]
	}
	f.message = fmt.Sprintf(f.message, i.name)
	return f
}

// cleared returns the ImageBuildDegraded that replaces a failure of an earlier build. ok is false if
// the condition has to stay as it is: the build controller writes the failures.
func (i image) cleared(isDegraded bool) (f finding, ok bool) {
	switch i.state {
	case prepared, building:
		return finding{false, string(mcfgv1.MachineConfigPoolBuilding), "New build started"}, true
	case succeeded:
		return finding{false, string(mcfgv1.MachineConfigPoolBuildSuccess), "Build completed successfully"}, true
	case noBuild:
		return finding{false, string(mcfgv1.MachineConfigPoolBuildPending), "MachineOSConfig updated/created, waiting for MachineOSBuild"}, isDegraded
	case notLayered:
		return finding{false, "NoLayeredObjects", "No layered pool objects found, clearing stale build degraded condition"}, isDegraded
	}
	return finding{}, false
}
