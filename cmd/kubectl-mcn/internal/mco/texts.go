package mco

import "regexp"

// This file has all that the command knows about the wording of texts that other programs write. The page
// docs/kubectl-mcn.md says what to do when a release changes a text. The texts of a pool's conditions are in
// internal/poolwords, because package pool writes them, too.

// recorded are the texts of this file.
var recorded []record

type record struct {
	pattern            *regexp.Regexp
	rule, writer, line string
}

// text compiles a pattern on a text that another program writes. rule says what the command concludes from a match, writer
// is the program and the file that writes the text, and line is a text as it was recorded, with other names.
func text(rule, writer, line, pattern string) *regexp.Regexp {
	r := record{regexp.MustCompile(pattern), rule, writer, line}
	recorded = append(recorded, r)
	return r.pattern
}

// NameIn returns the name that a pattern finds in a text, or "".
func NameIn(text string, pattern *regexp.Regexp) string {
	if match := pattern.FindStringSubmatch(text); match != nil {
		return match[1]
	}
	return ""
}

// The texts of a drain or an uncordon.
var (
	drainFailed = text("the cause of a failing drain follows", "machine-config-controller: pkg/controller/drain/drain_controller.go",
		`Error: Node Drain has not succeeded. Error is: context deadline exceeded The drain will not be complete until desired drainer drain-rendered-worker-bbb matches current drainer uncordon-rendered-worker-aaa`,
		`^.*Node Drain has not succeeded\. Error is: `)
	trackedDrain = text("the cause of a failing drain follows a daemon's own words", "a controller with package upgrademonitor: Track in upgrademonitor/calls.go",
		`Error: Draining node. The drain will not be complete until desired drainer drain-bbb matches current drainer uncordon-aaa: the server is currently unable to handle the request`,
		`^Error: Draining( \w+)?(\. The drain will not be complete until [^:]*)?: `)
	untilDrained = text("the cause of a failing drain ends here", "machine-config-controller: pkg/controller/drain/drain_controller.go",
		`Draining node. The drain will not be complete until desired drainer drain-rendered-worker-bbb matches current drainer uncordon-rendered-worker-aaa`,
		` The drain will not be complete until `)
	drainTimeout = text("the daemon has given up a drain, and the controller goes on with it", "machine-config-daemon: pkg/daemon/drain.go",
		`failed to drain node: w-1 after 1 hour. Please see machine-config-controller logs for more information`,
		`failed to drain node`)
	// SeeController matches an error of the daemon whose cause is in the controller's log.
	SeeController = text("the controller's log is next", "machine-config-daemon: pkg/daemon/daemon.go",
		`failed to uncordon node: w-1 after 10 minutes. Please see machine-config-controller logs for more information`,
		`see machine-config-controller logs`)
	// NotAsked matches the error of a daemon that could not ask the controller for a drain or an uncordon.
	NotAsked = text("the daemon's log is next, although the controller drains", "machine-config-daemon: pkg/daemon/daemon.go",
		`could not set drain annotation: nodes "w-1" is forbidden: User "system:serviceaccount:openshift-machine-config-operator:machine-config-daemon" cannot patch resource "nodes"`,
		`could not set drain annotation`)
	withoutDrain = text("the update does not cordon, drain or reboot the node", "machine-config-daemon: pkg/daemon/update.go",
		`Update Compatible. Post Cfg Actions: [none] Drain Required: false`,
		`Drain Required: false`)
	rebootFailed = text("the machine has not rebooted, although the daemon reports", "machine-config-daemon: pkg/daemon/update.go",
		`reboot command failed, something is seriously wrong`,
		`reboot command failed`)
)

// The texts about the pods of a drain. A message may have several of them.
var (
	notDrained = text("a pod is not gone; what follows says why", "kubectl drain: k8s.io/kubectl/pkg/drain/drain.go",
		`error when evicting pods/"api-0" -n "shop": admission webhook "guard.example.com" denied the request: not now`,
		`(error when (?:evicting|deleting|waiting for) )pods?[/ ]"([^"]+)" (?:-n|in namespace) "([^"]+)"`)
	toTerminate = text("the pod was evicted, so no budget refuses it", "kubectl drain: k8s.io/kubectl/pkg/drain/drain.go",
		`error when waiting for pod "virt-launcher-vm1-x7k2p" in namespace "vms" to terminate: context deadline exceeded`,
		` to terminate: `)
	notEvicted = text("a pod is not gone, in another drain controller; what follows says why", "examples/drain-controller",
		`evict pod shop/debug: the pod has not terminated yet`,
		`\b((?:evict|evicting|delete|deleting) )pod "?([a-z0-9.-]+/[a-z0-9.-]+)"?`)
	notDeletable = text("pods that a drain does not touch", "kubectl drain: k8s.io/kubectl/pkg/drain/filters.go",
		`cannot delete Pods declare no controller (use --force to override): shop/debug-pod, shop/debug-pod-2`,
		`(cannot delete [^:]*: )([a-z0-9.-]+/[a-z0-9.-]+(?:, [a-z0-9.-]+/[a-z0-9.-]+)*)`)
	refusedSoFar = text("a budget has refused each attempt to evict the pod", "kubectl drain: k8s.io/kubectl/pkg/drain/drain.go",
		`error when evicting pods/"pg-0" -n "db": global timeout reached: 1m30s`,
		`global timeout reached`)
	refused = text("a budget refuses to evict the pod", "kube-apiserver: pkg/registry/core/pod/rest/eviction.go",
		`Cannot evict pod as it would violate the pod's disruption budget.`,
		`disruption budget`)
	// Webhook matches the refusal of a webhook, or the error of a webhook that does not answer.
	Webhook = text("the webhooks are next, because no budget refuses the pod", "kube-apiserver: k8s.io/apiserver/pkg/admission/plugin/webhook",
		`Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.shop.svc:443/evict?timeout=10s": no endpoints available for service "guard"`,
		`\b(admission|calling) webhook "`)
	refusedBySeveral = text("the pod has several budgets, so the API server refuses to evict it", "kube-apiserver: pkg/registry/core/pod/rest/eviction.go",
		`This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.`,
		`more than one PodDisruptionBudget`)
)

// The texts about targets, image sets and pools.
var (
	upgradeFailure = text("the error of a degraded node follows", "machine-config-daemon: pkg/daemon/update.go",
		`Node w-1 upgrade failure. unexpected on-disk state validating against rendered-worker-aaa`,
		`^Node \S+ upgrade failure\. `)
	// OnlyVersion matches the message of a ClusterVersion that names nothing but its version.
	OnlyVersion = text("the update of the cluster waits for nothing that it names", "cluster-version-operator: pkg/cvo/status.go",
		`Working towards 4.20.5`,
		`^(Working towards|Cluster version is) \S+$`)
	// NamedBuild has the name of the MachineOSBuild that has failed, and NamedConfig that of the MachineConfig that cannot be
	// rendered.
	NamedBuild = text("the build is next", "machine-config-controller: pkg/controller/build/reconciler.go",
		`Failed to build OS image for pool worker (MachineOSBuild: worker-2d03dc921ff0c242c5892a3ef1ed1608): Failed: Build Failed`,
		`\(MachineOSBuild: ([a-z0-9.-]+)`)
	NamedConfig = text("the MachineConfig is next", "machine-config-controller: pkg/controller/render/render_controller.go",
		`could not generate rendered MachineConfig: reconciliation failed between current config "rendered-worker-aaa" and base config "50-extra-disk": ignition disks section contains changes`,
		`(?:base config|\bMachineConfig) "([a-z0-9.-]+)"`) // the second one in older releases
	requeued = text("the daemon continues to pull a pinned image set", "machine-config-daemon: pkg/daemon/pinned_image_set.go",
		`requeue: prefetching images incomplete after timeout: 5m0s`,
		`(?i)requeue`)
	// OfPools matches a text about pools. It may name a pool.
	OfPools = text("the operator's text is not repeated if each pool that it names has an entry", "machine-config-operator: pkg/operator/sync.go",
		`Unable to apply 4.20.5: error during syncRequiredMachineConfigPools: [context deadline exceeded, error MachineConfigPool infra is not ready, retrying. Status: (pool degraded: true total: 1, ready 0, updated: 0, unavailable: 1)]`,
		`(?i)machine ?config ?pools?(?: "?([\w.-]+))?|\bpool "?([\w.-]+)`)
	// OnlyUnavailable matches a text that says no more than that the operator is unavailable.
	OnlyUnavailable = text("the operator's other text says why", "machine-config-operator up to 4.15: pkg/operator/status.go",
		`Cluster not available for [{operator 4.14.0-rc.3}]`,
		`^Cluster not available for`)
)

// The texts of any program.
var (
	// errorStart is how errors begin. A sentence may also say that something failed.
	errorStart = text("the message of a step is an error", "machine-config-daemon: pkg/daemon/update.go",
		`Update failed applying files to node`,
		`(?i)^\[?(error|failed to|update failed|cannot|could not|unable to)\b|\bfailed($|[:;,.]| to | with | because )`)
	// errorWords count only after a colon, or in a message that does not begin as a sentence: see isError.
	errorWords = text("the message of a step may be an error", "Go, the kernel, API servers and registries",
		`dial tcp 10.0.0.1:6443: connect: connection refused`,
		`(?i)\b(errors?|failed|failure|timeout|timed out|cannot|could not|unable to|refused|denied|forbidden|`+
			`unauthorized|invalid|exceeded|expired|not found|no such|no space left|no endpoints|no route|unreachable|exit status|killed|canceled|`+
			`already exists|not permitted|read-only|reset by peer|broken pipe|EOF|x509)\b`)
	colors = text("colors are left out", "rpm-ostree, for a terminal; other programs quote it",
		`error running rpm-ostree cleanup -r: \x1b[0m\x1b[31merror: \x1b[0mInvoking cleanup`,
		`(\x1b\[|\x{9b}|\\(x1b|u001b|033|e)\[)[0-9;:]*m`)
	// Digest matches a digest. Of a digest in a long message, the beginning is enough.
	Digest = text("the rest of the digest makes room for the cause in a message that is cut", "rpm-ostree; CRI-O, podman and registries, too",
		`Old and new refs are equal: ostree-unverified-registry:quay.io/shop/os@sha256:0b9ca241da2f41c03d2106c24ce9dee2370329771d7883508ddfc1d4712fc310`,
		`\b([0-9a-f]{8})[0-9a-f]{56}\b`)
	// Different matches the parts of a message that differ between nodes with the same cause: times, addresses, digests,
	// UUIDs and other hashes, long numbers, and paths.
	Different = text("nodes have the same cause, although this part differs", "Go, the kernel, API servers and registries",
		`error running chcon -R -t var_run_t /run/mco-machine-os-content/os-content-681716591: chcon: cannot access '/run/mco-machine-os-content/os-content-681716591': No such file or directory`,
		`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*|\b\d{1,2}:\d\d:\d\d(\.\d+)?|\b\d+(\.\d+)?(ms|h|m|s)(\d+(\.\d+)?(ms|m|s))*\b`+
			`|\b\d+\.\d+\.\d+\.\d+(:\d+)?|\b[0-9a-f]{8,}(-[0-9a-f]{4,})*\b|\d{4,}|(/[\w.@:+~-]+)+/?`)
)
