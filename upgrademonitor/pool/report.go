package pool

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// report is all that a pool's status takes from a MachineConfigNode. Two objects with equal
// reports give the same status, so that a change to anything else needs no new one.
type report struct {
	owner types.UID // of the Node; "" where the object names none
	there bool      // the object has conditions

	specDesired, desired, current string // configs
	desiredImage, currentImage    string

	updated   bool
	degraded  bool
	trouble   string // what degraded it
	pinned    bool   // every pinned image set that it lists is on the node
	pinFailed bool
	pinError  string
}

// reportOf reads a MachineConfigNode; nil gives the report of one that is not there.
func reportOf(mcn *mcfgv1.MachineConfigNode) report {
	if mcn == nil {
		return report{}
	}
	r := report{
		owner:        owner(mcn),
		there:        len(mcn.Status.Conditions) > 0,
		specDesired:  mcn.Spec.ConfigVersion.Desired,
		desiredImage: string(mcn.Spec.ConfigImage.DesiredImage),
		currentImage: string(mcn.Status.ConfigImage.CurrentImage),
		pinned:       true,
	}
	if version := mcn.Status.ConfigVersion; version != nil {
		r.desired, r.current = version.Desired, version.Current
	}
	for _, condition := range mcn.Status.Conditions {
		if condition.Status != metav1.ConditionTrue {
			continue
		}
		switch mcfgv1.StateProgress(condition.Type) {
		case mcfgv1.MachineConfigNodeUpdated:
			r.updated = true
		case mcfgv1.MachineConfigNodeNodeDegraded:
			r.degraded, r.trouble = true, condition.Message
		case mcfgv1.MachineConfigNodePinnedImageSetsDegraded:
			r.pinFailed, r.pinError = true, condition.Message
		}
	}
	for _, set := range mcn.Status.PinnedImageSets {
		done := set.DesiredGeneration > 0 && set.CurrentGeneration == set.DesiredGeneration
		r.pinned = r.pinned && done && set.LastFailedGeneration == 0
	}
	return r
}

// of reports whether the report is about this Node, and not about one that had its name before.
func (r report) of(node *corev1.Node) bool {
	return r.owner == "" || r.owner == node.UID
}

func owner(mcn *mcfgv1.MachineConfigNode) types.UID {
	for _, reference := range mcn.OwnerReferences {
		if reference.Kind == "Node" {
			return reference.UID
		}
	}
	return ""
}
