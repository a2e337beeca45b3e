package pool_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

var update = flag.Bool("update", false, "write the golden files")

// TestConditions: the conditions of a pool with these MachineConfigNodes, as
// testdata/conditions.txt has them.
func TestConditions(t *testing.T) {
	paused := func(p *mcfgv1.MachineConfigPool) { p.Spec.Paused = true }
	noTarget := func(p *mcfgv1.MachineConfigPool) { p.Spec.Configuration.Name = "" }
	has := func(conditionType mcfgv1.MachineConfigPoolConditionType, status corev1.ConditionStatus, message string) func(*mcfgv1.MachineConfigPool) {
		return func(p *mcfgv1.MachineConfigPool) {
			p.Status.Conditions = append(p.Status.Conditions, mcfgv1.MachineConfigPoolCondition{Type: conditionType, Status: status, Message: message})
		}
	}
	type change = []func(*mcfgv1.MachineConfigPool)
	three := func(change ...func(*mcfgv1.MachineConfigNode)) mcns {
		return mcns{newMCN("a", change...), newMCN("b", change...), newMCN("c", change...)}
	}
	oneWaits, oneUpdates := three(), three()
	waiting(oneWaits[1])
	waiting(oneUpdates[1])
	updating(oneUpdates[2])
	mixed := three(images(oldImage, oldImage))
	images(newImage, newImage)(mixed[0])
	image := func(state pool.ImageState, message string) pool.Options {
		return pool.Options{Image: pool.Image{State: state, Message: message}}
	}
	building, failed := image(pool.ImageBuilding, "worker-1a2b"), image(pool.ImageBuildFailed, "worker-1a2b was interrupted")
	isBuilt, none := pool.Options{Image: built(newImage)}, image(pool.ImageNone, "")
	unknown, pinsDegrade := pool.Options{}, pool.Options{DegradeOnPinnedImageSets: true}

	var got strings.Builder
	for _, test := range []struct {
		name    string
		pool    change
		options pool.Options
		mcns    mcns
		nodes   nodes // by default Ready ones
	}{
		{"no nodes", nil, unknown, nil, nil},
		{"one node", nil, unknown, mcns{newMCN("a")}, nil},
		{"no target", change{noTarget}, unknown, three(), nil},
		{"no target, no nodes", change{noTarget}, unknown, nil, nil},
		{"no target, no configs", change{noTarget}, unknown, three(configs("", "", "")), nil},
		{"all updated", nil, unknown, three(), nil},
		{"all updated and paused", change{paused}, unknown, three(), nil},
		{"all updated, one cordoned by someone else, one not ready", nil, unknown, three(), nodes{newNode("a", cordoned), newNode("b", notReady), newNode("c")}},
		{"one is being updated, one waits", nil, unknown, oneUpdates, nil},
		{"one waits", nil, unknown, oneWaits, nil},
		{"paused", change{paused}, unknown, oneWaits, nil},
		{"paused in the middle", change{paused}, unknown, oneUpdates, nil},
		{"a new node", nil, unknown, mcns{newMCN("a")}, nodes{newNode("a"), newNode("b", notReady)}},
		{"many are being updated", nil, unknown, append(three(updating), newMCN("d", updating), newMCN("e", updating), newMCN("f", updating), newMCN("g", updating)), nil},

		{"building the first image", nil, building, three(), nil},
		{"building the next image", nil, building, three(images(oldImage, oldImage)), nil},
		{"building in a paused pool", change{paused}, building, three(), nil},
		{"building, without a message", nil, image(pool.ImageBuilding, ""), three(), nil},
		{"building, no nodes", nil, building, nil, nil},
		{"build failed", nil, failed, three(images(oldImage, oldImage)), nil},
		{"build failed in a paused pool", change{paused}, failed, three(), nil},
		{"build failed while a node is updating", nil, failed, mcns{newMCN("a", updating)}, nil},
		{"build failed, no nodes", nil, failed, nil, nil},
		{"built", nil, isBuilt, three(images(oldImage, oldImage)), nil},
		{"built in a paused pool", change{paused}, isBuilt, three(images(oldImage, oldImage)), nil},
		{"built, all have it", nil, isBuilt, three(images(newImage, newImage)), nil},
		{"built, no nodes", nil, isBuilt, nil, nil},
		{"image removed", nil, none, three(images(oldImage, oldImage)), nil},
		{"image removed, all updated", nil, none, three(), nil},
		{"image removed, no nodes", nil, none, nil, nil},
		{"image unknown, one node has the next", nil, unknown, mixed, nil},
		{"image unknown, in a paused pool", change{paused}, unknown, mixed, nil},

		{"degraded, has the config", nil, unknown, mcns{newMCN("a", degraded)}, nil},
		{"degraded, waits", nil, unknown, mcns{newMCN("a", degraded, waiting)}, nil},
		{"degraded, another is being updated", nil, unknown, mcns{newMCN("a", degraded), newMCN("b", updating)}, nil},
		{"two degraded", nil, unknown, mcns{newMCN("b", degraded), newMCN("a", degraded)}, nil},
		{"a joining node is degraded", nil, unknown, mcns{newMCN("a"), newMCN("b", joining, degraded)}, nil},
		{"pinned images of one", nil, pinsDegrade, mcns{newMCN("a"), newMCN("b", pinFailed)}, nil},
		{"pinned images of one, pool not degraded", nil, unknown, mcns{newMCN("a"), newMCN("b", pinFailed)}, nil},
		{"a node and pinned images", nil, pinsDegrade, mcns{newMCN("a", degraded), newMCN("b", pinFailed)}, nil},
		{"conditions of others", change{has("BuildFailed", "True", ""), has("PoolSynchronizerDegraded", "True", ""), has("ImageBuildDegraded", "Unknown", ""), has("RenderDegraded", "True", "")},
			unknown, mcns{newMCN("a")}, nil},
		{"a build of others", change{has("ImageBuildDegraded", "True", "")}, unknown, mcns{newMCN("a")}, nil},
		{"a node and a condition of others", change{has("RenderDegraded", "True", "no base config")}, unknown, mcns{newMCN("a", degraded)}, nil},
		{"degraded no longer", change{has("Degraded", "True", "M"), has("NodeDegraded", "True", "M")}, unknown, mcns{newMCN("a")}, nil},
	} {
		if test.nodes == nil {
			for _, mcn := range test.mcns {
				test.nodes = append(test.nodes, newNode(mcn.Name))
			}
		}
		status := pool.Status(newPool("worker", test.pool...), test.nodes, test.mcns, test.options, now)
		fmt.Fprintf(&got, "# %s\n", test.name)
		for _, c := range status.Conditions {
			if c.Reason != "" && c.Reason != "AsExpected" { // the reason of others here, and of what is False
				fmt.Fprintf(&got, "%s %s %s: %s\n", c.Type, c.Status, c.Reason, c.Message)
			}
		}
		for _, conditionType := range []mcfgv1.MachineConfigPoolConditionType{"NodeDegraded", "PinnedImageSetsDegraded", "Degraded"} {
			c := condition(t, status, conditionType)
			assert.Equal(t, c.Status == corev1.ConditionFalse, c.Reason == "AsExpected", "%s: %s", test.name, conditionType)
		}
	}
	const golden = "testdata/conditions.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String(), "go test ./upgrademonitor/pool -update writes it")
}
