package cluster

import (
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// State is the state of a node in its pool.
type State string

const (
	// Done means that the node runs the config and the image of its pool's target.
	Done State = "Done"
	// Updating means that an update of the node was requested and is not complete.
	Updating State = "Updating"
	// Stuck means that the node is degraded, or that its step takes longer than its limit.
	Stuck State = "Stuck"
	// Waiting means that the node runs its desired config and image, but its pool has another target
	// or waits for its image, or its Node has lost an annotation.
	Waiting State = "Waiting"
	// Idle means that the node runs its desired config and image, and that the target of its pool
	// is not known.
	Idle State = "Idle"
	// Unreported means that neither the annotations of the Node nor the MachineConfigNode say what the
	// node runs, as for a new node.
	Unreported State = "Unreported"
)

// Node is a node in its pool. NewNode sets the versions and Created, and the function Of sets Pool and the other fields.
type Node struct {
	// Node is the state of the node from its Node and its MachineConfigNode. Its Pool is the pool that selects the node.
	mco.Node
	State State
	// OffTarget is true if the node updates to a config that is not the target of its pool.
	OffTarget bool
	// For is how long the node has been degraded or, if it is not degraded, how long it has been at
	// Step. For is zero if the node is neither Updating nor Stuck.
	For time.Duration
	// Slow is true if a node that is not Stuck is Failing or, while it is Updating, if its cordon is lifted, or it has
	// been at Step for more than a third of the limit of Step.
	Slow bool
	// Kubelet and OS are the versions that the kubelet reports.
	Kubelet, OS string
	// Created is when the Node was created, or zero.
	Created time.Time

	kube *corev1.Node // the Node, or nil if it is not known
}

// NewNode reads a node from its Node and its MachineConfigNode. One of them may be nil. The result
// refers to node.
func NewNode(node *corev1.Node, mcn *mcfgv1.MachineConfigNode) Node {
	n := Node{Node: mco.Of(node, mcn), kube: node}
	if node != nil {
		n.Kubelet, n.OS = node.Status.NodeInfo.KubeletVersion, node.Status.NodeInfo.OSImage
		n.Created = node.CreationTimestamp.UTC()
	}
	return n
}

// In returns the node with the labels of a Node that is older than its MachineConfigNode.
func (n Node) In(older *corev1.Node) Node {
	n.kube = older
	return n
}

// Begin returns the time of the request for the current or the last update. If this time is not
// known, or if the request has changed the target of a running update, Begin returns the time when
// the update started.
func (n Node) Begin() time.Time {
	if n.Requested.IsZero() || !n.Started.IsZero() && n.Started.Before(n.Requested) {
		return n.Started
	}
	return n.Requested
}

// dropWithdrawn drops the request of a config that the pool no longer targets, if the node runs the
// target. Some daemons leave such a config in the spec of the MachineConfigNode. If the Node is
// known, there is nothing to drop, because the annotations of the Node have the requested config.
func (n *Node) dropWithdrawn(target progress.Target) {
	if n.kube == nil && n.NotStarted() && n.Desired.Config != target.Config && n.Current == target {
		n.Update, n.Desired, n.Since = progress.NoUpdate, n.Current, n.Completed
		n.Done = true
		n.Step, n.Steps, n.Requested = "", nil, time.Time{}
	}
}

// IsToOtherPool reports whether an OffTarget node updates to a config of another pool: its labels may have changed.
func (n Node) IsToOtherPool() bool { return n.OffTarget && poolOf(n.Towards().Config) != n.Pool }

// poolOf returns the pool in the name of a rendered config, which is rendered-<pool>-<hash>.
func poolOf(config string) string {
	return strings.TrimPrefix(config[:max(0, strings.LastIndex(config, "-"))], "rendered-")
}

func (n Node) isPulling() bool { return len(n.PinnedImageSets) > 0 }

func (n Node) hasDesired() bool { return n.Desired == n.Current }
