package pool_test

import (
	"regexp"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
)

// words has the messages or the reasons of conditions.
type words = map[mcfgv1.MachineConfigPoolConditionType]string

// expectedPool is a pool in a test of openshift/origin or machine-config-operator, and the status that the test waits for.
type expectedPool struct {
	name   string
	paused bool
	nodes  []expectedNode
	before []poolCondition      // the conditions before the call of Status
	build  mcfgv1.BuildProgress // the state of the MachineOSBuild; noBuild if there is none, "" if the pool has no OS image

	want    string // the conditions and counts
	message words  // regular expressions
	reason  words
}

const (
	noBuild         = "none"
	nothingDegraded = " Degraded=False NodeDegraded=False degradedMachineCount=0"
	nodesDegraded   = "1 nodes are reporting degraded status on sync"
	notDrained      = "failed to drain node: n0 after 1 hour. Please see machine-config-controller logs"
	wrongUser       = "failed to retrieve UserID for username: wronguser"
	noReload        = "error running systemctl reload a: Failed to reload a: Unit a not found"
	drift           = "Node n0 upgrade failure. unexpected on-disk state validating against rendered-worker-bbb: " +
		`content mismatch for file "/etc/etc-file"`
)

type poolCondition = mcfgv1.MachineConfigPoolCondition

var (
	notRendered = []poolCondition{
		{Type: "RenderDegraded", Status: "True", Message: "ignition disks section contains changes"},
	}
	rendered = poolCondition{Type: "RenderDegraded", Status: "False"}
	notBuilt = []poolCondition{{Type: "ImageBuildDegraded", Status: "True", Message: "Failed to build OS image"}}

	isDone   = expectedNode{}
	waits    = expectedNode{config: oldConfig}
	updates  = expectedNode{config: oldConfig, desired: newConfig, cordoned: true, isUpdating: true}
	onFormer = expectedNode{image: oldImage}
	onTarget = expectedNode{image: newImage}
)

// fails returns a node whose update to the target fails.
func fails(cause string) []expectedNode {
	cause = "Node n0 upgrade failure. " + cause
	return []expectedNode{{config: oldConfig, desired: newConfig, isUpdating: true, degraded: cause}}
}

var expectedPools = []expectedPool{
	{
		name: "an empty pool",
		want: "Updated=True Updating=False readyMachineCount=0 machineCount=0 updatedMachineCount=0" + nothingDegraded,
	}, {
		name: "one ready node", nodes: []expectedNode{isDone},
		want: "Updated=True Updating=False readyMachineCount=1 machineCount=1 updatedMachineCount=1" + nothingDegraded,
	}, {
		name: "an update", nodes: []expectedNode{updates, waits},
		want: "Updated=False Updating=True updatedMachineCount=0" + nothingDegraded,
	}, {
		name: "a node joins", nodes: []expectedNode{isDone, waits},
		want: "Updated=False updatedMachineCount=1 machineCount=2",
	}, {
		name: "all nodes except a cordoned one are updated", nodes: []expectedNode{isDone, isDone, {config: oldConfig, cordoned: true}},
		want: "Updated=False updatedMachineCount=2 machineCount=3",
	}, {
		name: "paused, a config is pending", paused: true, nodes: []expectedNode{waits},
		want: "Updated=False Updating=False" + nothingDegraded,
	}, {
		name: "paused, one node was updated by hand", paused: true, nodes: []expectedNode{isDone, waits},
		want: "updatedMachineCount=1",
	}, {
		name: "a drain fails for 58 minutes", nodes: []expectedNode{updates},
		want: "Degraded=False",
	}, {
		name: "a drain fails for an hour", nodes: fails(notDrained),
		want:    "Degraded=True",
		message: words{"NodeDegraded": notDrained},
	}, {
		name: "an OS image cannot be applied",
		nodes: fails("failed to update OS to quay.io/a@sha256:1 : error running rpm-ostree rebase: " +
			"error: ostree.bootable: exit status 1"),
		want: "Degraded=True degradedMachineCount=1",
		message: words{"NodeDegraded": "Node n0 .*[Ff]ailed to update OS to quay.io/a@sha256:1" +
			".*(error running rpm-ostree rebase.*ostree.bootable|timed out waiting for the condition).*"},
		reason: words{"NodeDegraded": nodesDegraded},
	}, {
		name:  "a file has an unknown user",
		nodes: fails(`failed to retrieve file ownership for file "/etc/wronguser": ` + wrongUser),
		want:  "Degraded=True",
		message: words{"NodeDegraded": regexp.QuoteMeta(
			`failed to retrieve file ownership for file \"/etc/wronguser\": ` + wrongUser)},
		reason: words{"NodeDegraded": nodesDegraded},
	}, {
		name: "a kernel is not supported", nodes: fails("64k-pages is only supported for aarch64 architecture"),
		want:    "Degraded=True",
		message: words{"NodeDegraded": `64k-pages is only supported for aarch64 architecture"`},
		reason:  words{"NodeDegraded": nodesDegraded},
	}, {
		name: "extensions are not applied", nodes: fails("no staged deployment found after applying extensions"),
		want:    "Degraded=True",
		message: words{"NodeDegraded": "no staged deployment found after applying extensions"},
	}, {
		name: "a service cannot be reloaded", nodes: fails(noReload),
		want:    "Degraded=True degradedMachineCount=1",
		message: words{"NodeDegraded": noReload},
		reason:  words{"NodeDegraded": nodesDegraded},
	}, {
		name: "a file has drifted", nodes: []expectedNode{{degraded: drift}}, before: []poolCondition{rendered},
		want:    "Updated=False Updating=True Degraded=True NodeDegraded=True RenderDegraded=False degradedMachineCount=1",
		message: words{"NodeDegraded": "/etc/etc-file"},
	}, {
		name: "the file is restored", nodes: []expectedNode{isDone},
		before: []poolCondition{
			rendered, {Type: "NodeDegraded", Status: "True", Message: drift},
			{Type: "Degraded", Status: "True", Message: drift}, {Type: "Updating", Status: "True"},
		},
		want: "Updated=True Updating=False RenderDegraded=False" + nothingDegraded,
	}, {
		name: "a config cannot be rendered", nodes: []expectedNode{isDone}, before: notRendered,
		want:    "RenderDegraded=True Degraded=True",
		message: words{"RenderDegraded": "ignition disks section contains changes"},
	}, {
		name: "a config is rendered again", nodes: []expectedNode{isDone},
		before: []poolCondition{rendered, {Type: "Degraded", Status: "True"}},
		want:   "RenderDegraded=False Degraded=False Updated=True",
	}, {
		name: "a build runs", build: mcfgv1.MachineOSBuilding, before: notBuilt, nodes: []expectedNode{onFormer},
		want:   "Updated=False Updating=True Degraded=False ImageBuildDegraded=False",
		reason: words{"ImageBuildDegraded": "Building"},
	}, {
		name: "a build failed", build: mcfgv1.MachineOSBuildFailed, before: notBuilt, nodes: []expectedNode{onFormer},
		want:    "ImageBuildDegraded=True Degraded=True",
		message: words{"ImageBuildDegraded": "Failed to build OS image", "Degraded": "Custom OS image build failed"},
	}, {
		name: "a build succeeded", build: mcfgv1.MachineOSBuildSucceeded, before: notBuilt,
		nodes:  []expectedNode{onFormer},
		want:   "Updating=True ImageBuildDegraded=False Degraded=False",
		reason: words{"ImageBuildDegraded": "BuildSuccess"},
	}, {
		name: "a built image is applied", build: mcfgv1.MachineOSBuildSucceeded, before: notBuilt,
		nodes: []expectedNode{onTarget},
		want:  "Updated=True Updating=False Degraded=False ImageBuildDegraded=False updatedMachineCount=1",
	}, {
		name: "paused, before a build", build: noBuild, paused: true, nodes: []expectedNode{onFormer},
		want:    "Updating=True",
		message: words{"Updating": "waiting for a new OS image build to start.*mosc-1"},
	}, {
		name: "paused, a build is prepared", build: mcfgv1.MachineOSBuildPrepared, paused: true,
		nodes:   []expectedNode{onFormer},
		want:    "Updating=True",
		message: words{"Updating": "prepared but will not rollout"},
	}, {
		name: "paused, a build runs", build: mcfgv1.MachineOSBuilding, paused: true, nodes: []expectedNode{onFormer},
		want:    "Updating=True",
		message: words{"Updating": "OS image build in progress"},
	}, {
		name: "paused, a build is done", build: mcfgv1.MachineOSBuildSucceeded, paused: true,
		nodes:   []expectedNode{onFormer},
		want:    "Updating=False",
		message: words{"Updating": "OS image build completed successfully.*mosb-1"},
	},
}
