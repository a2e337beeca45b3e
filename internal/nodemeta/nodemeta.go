// Package nodemeta reads the metadata of Nodes: it has the names and the rules of their annotations, the
// names of the standard pools, and functions for owner references to Nodes.
package nodemeta

import (
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// The pools that every cluster may have. All other pools are custom pools.
const (
	Master  = "master"
	Arbiter = "arbiter"
	Worker  = "worker"
)

// NotYetSet stands for the name of a pool or a config that is not known yet.
const NotYetSet = "not-yet-set"

// IsSet reports whether the name of a pool or a config is known. The v1alpha1 API has another word for
// NotYetSet.
func IsSet(name string) bool { return name != "" && name != NotYetSet && name != "NotYetSet" }

// Prefix is the prefix of the annotations that machine-config-operator writes.
const Prefix = "machineconfiguration.openshift.io/"

// The annotations of a Node that name its current and its desired config and image.
const (
	CurrentConfig = Prefix + "currentConfig"
	DesiredConfig = Prefix + "desiredConfig"
	CurrentImage  = Prefix + "currentImage"
	DesiredImage  = Prefix + "desiredImage"
)

// Other annotations of a Node.
const (
	// State is the state of the daemon, for example StateDone.
	State = Prefix + "state"
	// Reason is the error of the daemon, if it has failed.
	Reason = Prefix + "reason"
	// DesiredDrain is the last request of the daemon to the drain controller: Drain or Uncordon, a dash, and a config.
	DesiredDrain = Prefix + "desiredDrain"
	// LastAppliedDrain is the last request that the drain controller has carried out.
	LastAppliedDrain = Prefix + "lastAppliedDrain"
	// PostConfigAction is Rebooting right before a reboot, and "" after the boot.
	PostConfigAction = Prefix + "post-config-action"
)

// The values of the annotation State, and what the other annotations may have.
const (
	StateDone           = "Done"
	StateWorking        = "Working"
	StateDegraded       = "Degraded"
	StateUnreconcilable = "Unreconcilable"
	Drain               = "drain"
	Uncordon            = "uncordon"
	Rebooting           = "Rebooting"
)

const (
	apiVersion = "v1"
	kind       = "Node"

	// provisioning is a phase that machine controllers set. corev1 has no constant for this phase.
	provisioning corev1.NodePhase = "Provisioning"
)

// IsName reports whether a value is a valid name of a config or a pool.
func IsName(value string) bool { return len(validation.IsDNS1123Subdomain(value)) == 0 }

const maxImage = 447

// imageRegexp matches a pull spec by digest: host[:port]/[namespace/]name@sha256:digest.
var imageRegexp = regexp.MustCompile(`^([a-zA-Z0-9-]+\.)+[a-zA-Z0-9-]+(:[0-9]{2,5})?/([a-zA-Z0-9-_]{0,61}/)?[a-zA-Z0-9-_.]*?@sha256:[a-f0-9]{64}$`)

// IsImage reports whether a value is a pull spec by digest that the CRD accepts.
func IsImage(value string) bool { return len(value) <= maxImage && imageRegexp.MatchString(value) }

// IsProvisioned reports whether a Node has left the phases Pending and Provisioning. A Node in one of
// these phases may not be part of the cluster yet, and gets no MachineConfigNode.
func IsProvisioned(node *corev1.Node) bool {
	return node.Status.Phase != corev1.NodePending && node.Status.Phase != provisioning
}

// IsWindows reports whether a node runs Windows. No pool manages a Windows node.
func IsWindows(node *corev1.Node) bool {
	const windows = string(corev1.Windows)
	return node.Labels[corev1.LabelOSStable] == windows || node.Status.NodeInfo.OperatingSystem == windows
}

// Owner returns an owner reference to a Node.
func Owner(node *corev1.Node) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: node.Name, UID: node.UID}
}

// IsOwner reports whether an owner reference refers to a Node.
func IsOwner(reference metav1.OwnerReference) bool {
	return reference.APIVersion == apiVersion && reference.Kind == kind
}

// OwnedByPrevious reports whether the references name an earlier Node of the same name as an owner, and
// do not name this Node.
func OwnedByPrevious(references []metav1.OwnerReference, node *corev1.Node) bool {
	previous := false
	for _, reference := range references {
		if !IsOwner(reference) || reference.Name != node.Name {
			continue
		}
		if reference.UID == node.UID {
			return false
		}
		previous = true
	}
	return previous
}

// ReplaceOwner returns the references with owner as the only reference to a Node. References to
// other kinds stay. If owner has no UID, the list stays unchanged.
func ReplaceOwner(references []metav1.OwnerReference, owner metav1.OwnerReference) []metav1.OwnerReference {
	if owner.UID == "" {
		return references
	}
	isOwner := func(r metav1.OwnerReference) bool {
		return IsOwner(r) && r.Name == owner.Name && r.UID == owner.UID
	}
	isAnother := func(r metav1.OwnerReference) bool { return IsOwner(r) && !isOwner(r) }
	if slices.ContainsFunc(references, isOwner) && !slices.ContainsFunc(references, isAnother) {
		return references
	}
	return append(slices.DeleteFunc(slices.Clone(references), IsOwner), owner)
}
