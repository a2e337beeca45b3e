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

// builds has each state of a build for newConfig.
var builds = []struct {
	name  string
	build *mcfgv1.MachineOSBuild
}{
	{"not created yet", nil},
	{"initial", mosb("", "")},
	{"prepared", mosb(mcfgv1.MachineOSBuildPrepared, "")},
	{"building", mosb(mcfgv1.MachineOSBuilding, "")},
	{"succeeded", mosb(mcfgv1.MachineOSBuildSucceeded, newImage)},
	{"failed", mosb(mcfgv1.MachineOSBuildFailed, "")},
	{"interrupted", mosb(mcfgv1.MachineOSBuildInterrupted, "")},
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
						has("RenderDegraded", "no base config")(p)
					}
					options := pool.Options{MachineOSConfig: mosc(newImage), MachineOSBuild: b.build}
					s := statusOf(t, p, nodes{newNode("a"), newNode("c")}, mcns{a, c}, options)
					if image == "old" {
						options.MachineOSConfig = mosc("")
						unnamed := statusOf(t, p, nodes{newNode("a"), newNode("c")}, mcns{a, c}, options)
						assert.Equal(t, condition(t, s, "Updating"), condition(t, unnamed, "Updating"), "while nodes lack the image, it does not matter which one the MachineOSConfig names")
					}
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
			if strings.HasPrefix(test.name, "built") && !exists {
				assert.Equal(t, "NodesNotUpdated", condition(t, empty, mcfgv1.MachineConfigPoolUpdated).Reason)
			}
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
		s := statusOf(t, newPool("worker", has("ImageBuildDegraded", kept)), nil, nil, options)
		c := condition(t, s, mcfgv1.MachineConfigPoolImageBuildDegraded)
		assert.Equal(t, want, string(c.Status)+" "+c.Reason+" "+c.Message, build)
		d := condition(t, s, mcfgv1.MachineConfigPoolDegraded)
		assert.Equal(t, c.Status, d.Status, build)
		if d.Status == corev1.ConditionTrue {
			assert.Equal(t, "Custom OS image build failed: no registry", d.Message)
		}
	}
}
