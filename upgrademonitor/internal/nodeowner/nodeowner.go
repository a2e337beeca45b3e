package nodeowner

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// apiVersion and kind of an owner reference to a Node.
const (
	apiVersion = "v1"
	kind       = "Node"
)

// nodeProvisioning is a phase that machine controllers set, beside the phases of corev1.
const nodeProvisioning corev1.NodePhase = "Provisioning"

// Reference returns the owner reference of an object that belongs to a Node.
func Reference(node *corev1.Node) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: node.Name, UID: node.UID}
}

// Is reports whether a reference is to a Node, and not to another kind of that name.
func Is(reference metav1.OwnerReference) bool {
	return reference.APIVersion == apiVersion && reference.Kind == kind
}

// OwnedByPrevious reports whether references name Nodes of this name, but not this one: the
// object belongs to a Node that was deleted, and created again under its name.
func OwnedByPrevious(references []metav1.OwnerReference, node *corev1.Node) bool {
	previous := false
	for _, reference := range references {
		if !Is(reference) || reference.Name != node.Name {
			continue
		}
		if reference.UID == node.UID {
			return false
		}
		previous = true
	}
	return previous
}

// Replace returns references with owner, a Reference, as the only Node among them. References
// to other kinds stay. The list itself is returned where nothing changes, or where owner has no
// UID, as that of a Node that was never read from the API server.
func Replace(references []metav1.OwnerReference, owner metav1.OwnerReference) []metav1.OwnerReference {
	isOwner := func(r metav1.OwnerReference) bool { return Is(r) && r.Name == owner.Name && r.UID == owner.UID }
	isAnother := func(r metav1.OwnerReference) bool { return Is(r) && !isOwner(r) }
	if owner.UID == "" || slices.ContainsFunc(references, isOwner) && !slices.ContainsFunc(references, isAnother) {
		return references
	}
	return append(slices.DeleteFunc(slices.Clone(references), Is), owner)
}

// IsProvisioned reports whether a Node is past Pending and Provisioning. Before, it is not
// known to belong to the cluster, and has no MachineConfigNode.
func IsProvisioned(node *corev1.Node) bool {
	return node.Status.Phase != corev1.NodePending && node.Status.Phase != nodeProvisioning
}
