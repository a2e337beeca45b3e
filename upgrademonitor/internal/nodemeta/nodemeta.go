// Package nodemeta has metadata of Nodes that a Monitor does not need.
package nodemeta

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/machine"
)

// Annotations of a Node.
const (
	// State is the state of the daemon, for example Done.
	State = "machineconfiguration.openshift.io/state"
	// Reason is the error of the daemon, if it has failed.
	Reason = "machineconfiguration.openshift.io/reason"
	// DesiredDrain is the last request of the daemon to the drain controller.
	DesiredDrain = "machineconfiguration.openshift.io/desiredDrain"
	// LastAppliedDrain is the last request that the drain controller has carried out.
	LastAppliedDrain = "machineconfiguration.openshift.io/lastAppliedDrain"
)

// OwnedByPrevious reports whether the references name an earlier Node of the same name as an owner, and
// do not name this Node.
func OwnedByPrevious(references []metav1.OwnerReference, node *corev1.Node) bool {
	previous := false
	for _, reference := range references {
		if !machine.IsOwner(reference) || reference.Name != node.Name {
			continue
		}
		if reference.UID == node.UID {
			return false
		}
		previous = true
	}
	return previous
}
