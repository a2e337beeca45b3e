package pool_test

import (
	"fmt"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// builds has each state of a build for newConfig, and the message of Updating while nodes lack the image, for an active and
// for a paused pool. machine-config-operator's tests compare these messages.
var builds = []struct {
	name           string
	build          *mcfgv1.MachineOSBuild
	active, paused string
}{
	{"not created yet", nil, "True Pool is waiting for a new OS image build to start (mosc: mosc-1)",
		"True Pool is paused; waiting for a new OS image build to start (mosc: mosc-1)"},
	{"initial", mosb("", ""), "True Pool is waiting for OS image build to start (mosb: mosb-1)",
		"True Pool is paused; OS image build has been created but not yet started (mosb: mosb-1)"},
	{"prepared", mosb(mcfgv1.MachineOSBuildPrepared, ""), "True Pool is waiting for OS image build to start (mosb: mosb-1)",
		"True Pool is paused; OS image build has been prepared but will not rollout (mosb: mosb-1)"},
	{"building", mosb(mcfgv1.MachineOSBuilding, ""), "True Pool is waiting for OS image build to complete (mosb: mosb-1)",
		"True Pool is paused; OS image build in progress (mosb: mosb-1)"},
	{"succeeded", mosb(mcfgv1.MachineOSBuildSucceeded, newImage), "True Pool is waiting for nodes to apply OS image (mosb: mosb-1)",
		"False Pool is paused; OS image build completed successfully (mosb: mosb-1)"},
	{"failed", mosb(mcfgv1.MachineOSBuildFailed, ""), "False Pool update stopped due to OS image build failure (mosb: mosb-1)",
		"False Pool is paused; OS image build failed (mosb: mosb-1)"},
	{"interrupted", mosb(mcfgv1.MachineOSBuildInterrupted, ""), "False Pool update stopped due to OS image build being interrupted (mosb: mosb-1)",
		"False Pool is paused; OS image build was interrupted (mosb: mosb-1)"},
}

// While nodes lack the image, the message of Updating depends on the state of the build. It does not matter whether the
// MachineOSConfig has the new image, the old image, or no image.
func TestTheMessageOfUpdatingFollowsTheBuild(t *testing.T) {
	for _, b := range builds {
		for _, config := range []*mcfgv1.MachineOSConfig{mosc(newImage), mosc(oldImage), mosc("")} {
			for isPaused, want := range map[bool]string{false: b.active, true: b.paused} {
				p := newPool("worker")
				p.Spec.Paused = isPaused
				s := statusOf(t, p, nodes{newNode("a")}, mcns{newMCN("a", images(oldImage, oldImage))}, pool.Options{MachineOSConfig: config, MachineOSBuild: b.build})
				c := condition(t, s, mcfgv1.MachineConfigPoolUpdating)
				assert.Equal(t, want, string(c.Status)+" "+c.Message)
				u := condition(t, s, mcfgv1.MachineConfigPoolUpdated)
				assert.Equal(t, corev1.ConditionFalse, u.Status)
				assert.Equal(t, b.name == "succeeded", u.Reason == "NodesNotUpdated")
			}
		}
	}
}

// If several conditions of a build are True, the state is Succeeded, or else the earliest state.
func TestTheFirstStateOfABuildCountsUnlessItSucceeded(t *testing.T) {
	for _, test := range []struct {
		first, second mcfgv1.BuildProgress
		want          string
	}{
		{mcfgv1.MachineOSBuildPrepared, mcfgv1.MachineOSBuilding, "Pool is waiting for OS image build to start (mosb: mosb-1)"},
		{mcfgv1.MachineOSBuilding, mcfgv1.MachineOSBuildFailed, "Pool is waiting for OS image build to complete (mosb: mosb-1)"},
		{mcfgv1.MachineOSBuildSucceeded, mcfgv1.MachineOSBuildFailed, "Pool is waiting for nodes to apply OS image (mosb: mosb-1)"},
		{mcfgv1.MachineOSBuildFailed, mcfgv1.MachineOSBuildInterrupted, "Pool update stopped due to OS image build failure (mosb: mosb-1)"},
	} {
		both := mosb(test.first, "")
		meta.SetStatusCondition(&both.Status.Conditions, metav1.Condition{Type: string(test.second), Status: metav1.ConditionTrue})
		s := statusOf(t, newPool("worker"), nil, nil, pool.Options{MachineOSConfig: mosc(""), MachineOSBuild: both})
		assert.Equal(t, test.want, condition(t, s, mcfgv1.MachineConfigPoolUpdating).Message)
	}
}

// The status of pools with an OS image is as in testdata/layered.txt, for each state of the build, for active, paused and
// degraded pools, and for nodes with the old and with the new image.
func TestLayeredPoolsAreAsRecorded(t *testing.T) {
	var got strings.Builder
	for _, b := range builds {
		for _, isPaused := range []bool{false, true} {
			for _, broken := range []string{"", "node", "rendering"} {
				for _, image := range []string{"old", "new"} {
					p, a, c := newPool("worker"), newMCN("a", images(oldImage, oldImage)), newMCN("c", images(oldImage, oldImage))
					if image == "new" {
						images(newImage, newImage)(a)
						images(newImage, newImage)(c)
					}
					p.Spec.Paused = isPaused
					switch broken {
					case "node":
						degraded(c)
					case "rendering":
						has("RenderDegraded", "True", "no base config")(p)
					}
					options := pool.Options{MachineOSConfig: mosc(newImage), MachineOSBuild: b.build}
					s := statusOf(t, p, nodes{newNode("a"), newNode("c")}, mcns{a, c}, options)
					n := countsOf(s)
					fmt.Fprintf(&got, "# State of the build: %s%s%s. The nodes have the %s image.\n", b.name, map[bool]string{true: ", the pool is paused"}[isPaused],
						map[string]string{"node": ", a node is degraded", "rendering": ", the rendering has failed"}[broken], image)
					fmt.Fprintf(&got, "  %d machines: %d updated, %d ready, %d unavailable, %d degraded\n", n[0], n[1], n[2], n[3], n[4])
					for _, c := range s.Conditions {
						if c.Reason != "AsExpected" && c.Reason != "" && c.Type != mcfgv1.MachineConfigPoolNodeDegraded {
							fmt.Fprintf(&got, "  %s %s %s: %s\n", c.Type, c.Status, c.Reason, c.Message)
						}
					}
				}
			}
		}
	}
	requireGolden(t, "layered.txt", got.String())
}

// A node is updated if it has the image of its pool, or if neither has an image. The images of the node are in its object,
// in the annotations of the Node, or in both.
func TestANodeIsUpdatedIfItHasTheImageOfItsPool(t *testing.T) {
	const o, n = oldImage, newImage
	anotherConfig, anotherOwner, late := built(n), built(n), built(n)
	anotherConfig.MachineOSBuild.Spec.MachineConfig.Name = oldConfig
	anotherOwner.MachineOSBuild.Spec.MachineOSConfig.Name = "mosc-2"
	late.MachineOSConfig = mosc(o)
	unsaid := built(n)
	unsaid.MachineOSBuild.Status.DigestedImagePushSpec = ""
	bare := pool.Options{MachineOSConfig: &mcfgv1.MachineOSConfig{}, MachineOSBuild: &mcfgv1.MachineOSBuild{}}
	for _, test := range []struct {
		name             string
		options          pool.Options
		desired, current string
		updated, done    bool // the machine is updated; the pool is Updated
	}{
		{"not layered, the node has no image", pool.Options{}, "", "", true, true},
		{"not layered, the node still has an image", pool.Options{}, o, o, false, false},
		{"not layered, the image is being removed from the node", pool.Options{}, "", o, false, false},
		{"not layered, an orphaned build", pool.Options{MachineOSBuild: mosb(mcfgv1.MachineOSBuilding, "")}, "", "", true, true},
		{"built, the node has the image", built(n), n, n, true, true},
		{"built, the node has no image", built(n), "", "", false, false},
		{"built, the node has the old image", built(n), o, o, false, false},
		{"built, the node desires the image", built(n), n, o, false, false},
		{"built, the node has the image and desires the old image", built(n), o, n, false, false},
		{"built, only the MachineOSConfig names the image", unsaid, n, n, true, true},
		{"built, the MachineOSConfig names the old image", late, o, o, true, false},
		{"built, the MachineOSConfig has no status", pool.Options{MachineOSConfig: mosc(""), MachineOSBuild: mosb(mcfgv1.MachineOSBuildSucceeded, n)}, "", "", false, false},
		{"built, neither object names the image", pool.Options{MachineOSConfig: mosc(""), MachineOSBuild: mosb(mcfgv1.MachineOSBuildSucceeded, "")}, "", "", false, false},
		{"the MachineOSConfig and the MachineOSBuild are empty", bare, "", "", false, false},
		{"a build of another config", anotherConfig, n, n, false, false},
		{"a build of another MachineOSConfig", anotherOwner, n, n, false, false},
		{"a build runs, the node has the last image", pool.Options{MachineOSConfig: mosc(o), MachineOSBuild: mosb(mcfgv1.MachineOSBuilding, "")}, o, o, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			annotated := ordered(newConfig, test.desired)
			for gate, machine := range map[string]struct {
				node *corev1.Node
				mcn  *mcfgv1.MachineConfigNode
			}{
				"gate on":                              {newNode("n", annotated, runs(test.current)), newMCN("n", images(test.desired, test.current))},
				"gate on, without annotations":         {newNode("n"), newMCN("n", images(test.desired, test.current))},
				"gate off":                             {newNode("n", annotated, runs(test.current)), newMCN("n")},
				"gate on, only the spec has the image": {newNode("n", annotated, runs(test.current)), newMCN("n", images(test.desired, ""))},
			} {
				status := statusOf(t, newPool("worker"), nodes{machine.node}, mcns{machine.mcn}, test.options)
				assert.Equal(t, test.updated, status.UpdatedMachineCount == 1, gate)
				assert.Equal(t, test.done, condition(t, status, mcfgv1.MachineConfigPoolUpdated).Status == corev1.ConditionTrue, gate)
			}
			empty := statusOf(t, newPool("worker"), nil, nil, test.options)
			isLayered, exists := test.options.MachineOSConfig != nil, strings.Contains(condition(t, empty, mcfgv1.MachineConfigPoolUpdated).Message, " / Image "+n)
			assert.Equal(t, !isLayered || exists, condition(t, empty, mcfgv1.MachineConfigPoolUpdated).Status == corev1.ConditionTrue, "a pool without nodes is Updated if its image exists")
		})
	}
}

func runs(image string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		metav1.SetMetaDataAnnotation(&n.ObjectMeta, "machineconfiguration.openshift.io/currentImage", image)
	}
}

// ImageBuildDegraded becomes False when a new build is pending, runs or has succeeded, and when the pool has no OS image.
// machine-config-operator does the same.
func TestImageBuildDegradedEndsAsInMachineConfigOperator(t *testing.T) {
	const kept = "no registry"
	for build, want := range map[string]string{
		"not created yet": "False BuildPending MachineOSConfig updated/created, waiting for MachineOSBuild",
		"initial":         "True  " + kept, "failed": "True  " + kept, "interrupted": "True  " + kept,
		"prepared": "False Building New build started", "building": "False Building New build started",
		"succeeded":   "False BuildSuccess Build completed successfully",
		"not layered": "False NoLayeredObjects No layered pool objects found, clearing stale build degraded condition",
	} {
		options := pool.Options{}
		for _, b := range builds {
			if b.name == build {
				options = pool.Options{MachineOSConfig: mosc(newImage), MachineOSBuild: b.build}
			}
		}
		s := statusOf(t, newPool("worker", has("ImageBuildDegraded", "True", kept)), nil, nil, options)
		c := condition(t, s, mcfgv1.MachineConfigPoolImageBuildDegraded)
		assert.Equal(t, want, string(c.Status)+" "+c.Reason+" "+c.Message, build)
		d := condition(t, s, mcfgv1.MachineConfigPoolDegraded)
		assert.Equal(t, c.Status, d.Status, build)
		if d.Status == corev1.ConditionTrue {
			assert.Equal(t, "Custom OS image build failed: no registry", d.Message)
		}
	}
}
