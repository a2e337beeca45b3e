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

// TestWordsOfOpenShift: what e2e tests, alerts and runbooks of OpenShift compare of a pool's conditions.
// They are spelled here as they are there.
func TestWordsOfOpenShift(t *testing.T) {
	const (
		target  = "MachineConfig rendered-worker-bbb"
		layered = target + " / Image " + newImage
		exactly = ""          // nothing behind it
		more    = `\. [^\n]+` // what this package adds
	)
	paused := func(p *mcfgv1.MachineConfigPool) { p.Spec.Paused = true }
	quoted := withCondition(mcfgv1.MachineConfigNodeNodeDegraded, "True", "unexpected on-disk state: \"/etc/chrony.conf\"\nmode mismatch")
	isBuilt := pool.Options{Image: built(newImage)}
	for name, test := range map[string]struct {
		pool      *mcfgv1.MachineConfigPool
		node      *corev1.Node
		mcn       *mcfgv1.MachineConfigNode
		options   pool.Options
		condition mcfgv1.MachineConfigPoolConditionType
		status    corev1.ConditionStatus
		reason    string // "": of no interest
		message   string
		behind    string
	}{
		"updated":             {condition: "Updated", status: "True", message: "All nodes are updated with " + target, behind: exactly},
		"updated, image mode": {mcn: newMCN("a", images(newImage, newImage)), options: isBuilt, condition: "Updated", status: "True", message: "All nodes are updated with " + layered},
		"updated, cordoned":   {node: newNode("a", cordoned), condition: "Updated", status: "True", message: "All nodes are updated with " + target, behind: more},
		"updating":            {mcn: newMCN("a", updating), condition: "Updating", status: "True", message: "All nodes are updating to " + target, behind: more},
		"about to update":     {mcn: newMCN("a", waiting), condition: "Updating", status: "True", message: "All nodes are updating to " + target, behind: more},
		"updating, image mode": {mcn: newMCN("a", images(newImage, oldImage)), options: isBuilt, condition: "Updating", status: "True",
			message: "All nodes are updating to " + layered, behind: more},
		"paused": {pool: newPool("worker", paused), mcn: newMCN("a", waiting), condition: "Updating", status: "False", message: "Pool is paused; will not update to " + target, behind: more},
		"paused while it is updating": {pool: newPool("worker", paused), mcn: newMCN("a", updating), condition: "Updating", status: "True",
			message: "Pool is paused; will not update to " + target, behind: more},
		"degraded": {mcn: newMCN("a", degraded), condition: "NodeDegraded", status: "True",
			reason: "1 nodes are reporting degraded status on sync", message: `Node a is reporting: "disk full"`},
		"degraded, quoted": {mcn: newMCN("a", quoted), condition: "NodeDegraded", status: "True",
			reason: "1 nodes are reporting degraded status on sync", message: `Node a is reporting: "unexpected on-disk state: \"/etc/chrony.conf\"\nmode mismatch"`},
	} {
		t.Run(name, func(t *testing.T) {
			if test.pool == nil {
				test.pool = newPool("worker")
			}
			if test.node == nil {
				test.node = newNode("a")
			}
			if test.mcn == nil {
				test.mcn = newMCN("a")
			}
			c := condition(t, pool.Status(test.pool, nodes{test.node}, mcns{test.mcn}, test.options, now), test.condition)
			assert.Equal(t, test.status, c.Status)
			assert.Regexp(t, "^"+regexp.QuoteMeta(test.message)+test.behind+"$", c.Message)
			if test.reason != "" {
				assert.Equal(t, test.reason, c.Reason)
			}
		})
	}
}

// TestUnavailableNodes: the messages name the nodes that are in the way of an update, and why.
func TestUnavailableNodes(t *testing.T) {
	ns := nodes{newNode("e", cordoned, notReady), newNode("a", notReady), newNode("b", cordoned), newNode("c"), newNode("d", cordoned)}
	ms := mcns{newMCN("a", waiting), newMCN("b", waiting), newMCN("c", waiting), newMCN("d", updating), newMCN("e", waiting)}
	status := pool.Status(newPool("worker"), ns, ms, pool.Options{}, now)
	assert.Equal(t, int32(4), status.UnavailableMachineCount)
	assert.Equal(t, "All nodes are updating to MachineConfig rendered-worker-bbb. 0 of 5 nodes have it, 1 is being updated, 4 are not updated. "+
		"d is preparing since 12:37 UTC on 22 May. a is NotReady, b is cordoned, e is NotReady and cordoned. See oc describe machineconfignode/d",
		condition(t, status, mcfgv1.MachineConfigPoolUpdating).Message)

	status = pool.Status(newPool("worker"), ns[:3], mcns{ms[0], ms[1], ms[4]}, pool.Options{}, now)
	assert.Equal(t, "All nodes are updating to MachineConfig rendered-worker-bbb. 0 of 3 nodes have it, 3 are not updated. "+
		"a is NotReady, b is cordoned, e is NotReady and cordoned", condition(t, status, mcfgv1.MachineConfigPoolUpdating).Message)
}

// TestDocumentation: docs/operator.md has every reason, and the beginning of every message.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/operator.md")
	require.NoError(t, err)
	golden, err := os.ReadFile("testdata/conditions.txt")
	require.NoError(t, err)
	own := regexp.MustCompile(`(?m)^(?:Updated|Updating|PinnedImageSetsDegraded) \w+ (\w+): `)
	for _, match := range own.FindAllStringSubmatch(string(golden), -1) {
		assert.Contains(t, string(page), "`"+match[1]+"`")
	}
	for _, text := range []string{
		"`AsExpected`", "nodes are reporting degraded status on sync`", "`Node a is reporting: ", "`All nodes are updated with ", "`All nodes are updating to ",
		"`Pool is paused; will not update to ", "`No node is degraded`", "`No node is unable to pin images`", "`Nothing is degraded`",
		"Normal `" + pool.EventUpdating + "` | `Pool worker now targeting ", "Normal `" + pool.EventCompleted + "` | `Pool worker has completed update to ",
	} {
		assert.Contains(t, string(page), text)
	}
}
