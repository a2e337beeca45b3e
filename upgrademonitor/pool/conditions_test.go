package pool_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

var update = flag.Bool("update", false, "write the golden files")

// requireGolden compares the sections of a text with those of a file of testdata.
func requireGolden(t *testing.T, file, got string) {
	t.Helper()
	file = "testdata/" + file
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	sections, wanted := strings.Split(got, "# "), strings.Split(string(want), "# ")
	for i := range min(len(sections), len(wanted)) {
		require.Equal(t, wanted[i], sections[i], "go test ./upgrademonitor/pool -update writes the golden file")
	}
	require.Len(t, sections, len(wanted))
}

// The conditions of pools without an OS image are as in testdata/conditions.txt.
func TestConditionsAreAsRecorded(t *testing.T) {
	two := func(p *mcfgv1.MachineConfigPool) { n := intstr.FromString("70%"); p.Spec.MaxUnavailable = &n }
	type change = []func(*mcfgv1.MachineConfigPool)
	three := func(change ...func(*mcfgv1.MachineConfigNode)) mcns {
		return mcns{newMCN("a", change...), newMCN("b", change...), newMCN("c", change...)}
	}
	oneWaits, oneUpdates := three(), three()
	waiting(oneWaits[1])
	waiting(oneUpdates[1])
	updating(oneUpdates[2])
	down := nodes{newNode("a", cordoned), newNode("b"), newNode("c", notReady, cordoned)}
	allDown := nodes{}
	var many mcns
	for _, name := range []string{"f", "e", "d", "c", "b", "a"} {
		allDown, many = append(allDown, newNode(name, notReady)), append(many, newMCN(name, waiting))
	}

	var got strings.Builder
	for _, test := range []struct {
		name  string
		pool  change
		mcns  mcns
		nodes nodes // nil means one Ready Node for each MachineConfigNode
	}{
		{"no nodes", nil, nil, nil},
		{"no target", change{targets("")}, three(), nil},
		{"no target, no nodes", change{targets("")}, nil, nil},
		{"no target, one node is being updated", change{targets("")}, oneUpdates, nil},
		{"all nodes are updated", nil, three(), nil},
		{"all nodes are updated, the pool is paused", change{paused}, three(), nil},
		{"all nodes have the target, one is cordoned, another is not ready", nil, three(), down},
		{"all nodes have the target, one is cordoned, the pool is paused", change{paused}, three(), down},
		{"one node is being updated, another waits", nil, oneUpdates, nil},
		{"one node is being updated, another is not ready", nil, mcns{newMCN("a"), newMCN("b", updating)}, nodes{newNode("a", notReady), newNode("b")}},
		{"one node waits", nil, oneWaits, nil},
		{"one node waits, the others are unavailable", nil, oneWaits, down},
		{"one node waits, another is unavailable", nil, oneWaits, down[:2]},
		{"one node waits, fewer nodes than maxUnavailable are unavailable", change{two}, oneWaits, nodes{newNode("a", cordoned), newNode("b"), newNode("c")}},
		{"one node waits, as many nodes as maxUnavailable are unavailable", change{two}, oneWaits, down},
		{"one node waits, the object of a Node outside of the pool shows an update", nil, oneUpdates, down[:2]},
		{"one node waits, another is under disk pressure", nil, oneWaits, nodes{newNode("a", diskPressure), newNode("b"), newNode("c", diskPressure, notReady, cordoned)}},
		{"six nodes are not ready", nil, many, allDown},
		{"five nodes are not ready", nil, many[:5], allDown[:5]},
		{"paused, one node waits", change{paused}, oneWaits, down},
		{"paused during an update", change{paused}, oneUpdates, nil},
		{"one node is new", nil, mcns{newMCN("a")}, nodes{newNode("a"), newNode("b", notReady)}},
		{"two nodes are new", nil, mcns{newMCN("a")}, nodes{newNode("a"), newNode("b"), newNode("c")}},
		{"the Node desires the target, and its object does not", nil, mcns{newMCN("a", waiting)}, nodes{newNode("a", ordered(newConfig, ""))}},
		{"the Node desires the target, and has no object", nil, nil, nodes{newNode("a", ordered(newConfig, ""), runsConfig(oldConfig))}},
		{"a node that runs the target has lost its state annotation", nil, mcns{newMCN("a")}, nodes{newNode("a", ordered(newConfig, ""), runsConfig(newConfig), withState("", ""))}},
		{"the Node desires the target, the pool is paused", change{paused}, mcns{newMCN("a", waiting)}, nodes{newNode("a", ordered(newConfig, ""))}},

		{"a node still has an image", nil, mcns{newMCN("a", images(oldImage, oldImage))}, nil},
		{"a degraded node has the target", nil, mcns{newMCN("a", degraded)}, nil},
		{"a degraded node waits", nil, mcns{newMCN("a", degraded, waiting)}, nil},
		{"one node is degraded, another is being updated", nil, mcns{newMCN("a", degraded), newMCN("b", updating)}, nil},
		{"two nodes are degraded, one of them is not ready", nil, mcns{newMCN("b", degraded), newMCN("a", degraded)}, nodes{newNode("a"), newNode("b", notReady)}},
		{"a joining node is degraded", nil, mcns{newMCN("a"), newMCN("b", joining, degraded)}, nil},
		{"conditions of other controllers", change{has("BuildFailed", ""), has("PoolSynchronizerDegraded", ""), has("PinnedImageSetsDegraded", "no such image")}, mcns{newMCN("a", pinFailed)}, nil},
		{"the MachineConfig cannot be rendered", change{has("RenderDegraded", "")}, mcns{newMCN("a")}, nil},
		{"the MachineOSConfig was deleted after its build had failed", change{has("ImageBuildDegraded", "no registry")}, mcns{newMCN("a")}, nil},
		{"a node is degraded, and the MachineConfig cannot be rendered", change{has("RenderDegraded", "no base config")}, mcns{newMCN("a", degraded)}, nil},
		{"a node is no longer degraded", change{has("Degraded", "M"), has("NodeDegraded", "M")}, mcns{newMCN("a")}, nil},
	} {
		if test.nodes == nil {
			for _, mcn := range test.mcns {
				test.nodes = append(test.nodes, newNode(mcn.Name))
			}
		}
		p := newPool("worker", test.pool...)
		status := statusOf(t, p, test.nodes, test.mcns, pool.Options{})
		fmt.Fprintf(&got, "# %s\n", test.name)
		for _, c := range status.Conditions {
			if c.Reason != "" && c.Reason != "AsExpected" { // skips conditions of other controllers, and conditions that are False
				fmt.Fprintf(&got, "%s %s %s: %s\n", c.Type, c.Status, c.Reason, c.Message)
			}
		}
		for _, conditionType := range []mcfgv1.MachineConfigPoolConditionType{"NodeDegraded", "Degraded"} {
			c := condition(t, status, conditionType)
			assert.Equal(t, c.Status == corev1.ConditionFalse, c.Reason == "AsExpected", "%s: %s", test.name, conditionType)
		}
	}
	requireGolden(t, "conditions.txt", got.String())
}

// docs/pools.md lists every reason of a condition, and the first words of every message.
func TestThePageListsReasonsAndMessages(t *testing.T) {
	page, err := os.ReadFile("../../docs/pools.md")
	require.NoError(t, err)
	own := regexp.MustCompile(`(?m)^ *(?:Updated|Updating|ImageBuildDegraded) \w+ (\w+): `)
	for _, file := range []string{"conditions.txt", "layered.txt"} {
		golden, err := os.ReadFile("testdata/" + file)
		require.NoError(t, err)
		for _, match := range own.FindAllStringSubmatch(string(golden), -1) {
			requireText(t, page, "`"+match[1]+"`")
		}
	}
	for _, text := range []string{
		"`AsExpected`", "nodes are reporting degraded status on sync`", "`Node a is reporting: ", "`All nodes are updated with ", "`All nodes are updating to ",
		"`Pool is paused; will not update to ", "`No node is degraded`", "`Nothing is degraded`", "`Custom OS image build failed: ",
		"Normal `Updating` | `Pool worker now targeting ", "Normal `Completed` | `Pool worker has completed update to ",
	} {
		requireText(t, page, text)
	}
}

// requireText fails if the page docs/pools.md lacks a text.
func requireText(t *testing.T, page []byte, text string) {
	t.Helper()
	if !strings.Contains(string(page), text) {
		t.Errorf("docs/pools.md lacks %s", text)
	}
}
