package plan

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodemeta"
)

// Node is a process's view of a Node.
type Node struct {
	Owner metav1.OwnerReference
	Pool  string // nodemeta.NotYetSet: not known
	Mode  Mode
	// Provisioned is set if the Node may have a MachineConfigNode.
	Provisioned bool
	Versions
}

// Versions are annotations of a Node, "" if absent. Images count in image mode only.
type Versions struct {
	CurrentConfig, DesiredConfig string
	CurrentImage, DesiredImage   string

	// An image that the CRD rejects is neither set nor cleared.
	InvalidCurrentImage, InvalidDesiredImage bool
}

// Equal reports whether two views are of the same Node, with the same versions.
func (n Node) Equal(o Node) bool { return n.Owner.UID == o.Owner.UID && n.Versions == o.Versions }

// Mode is the update mode of a node.
type Mode string

// The modes.
const (
	// ModeOfObject is the mode of the object's conditions, standard mode for a new object.
	ModeOfObject Mode = ""
	Standard     Mode = "Standard"
	Image        Mode = "Image"
)

// IsImage reports whether the mode is image mode, for an object with these conditions. Only image
// mode has AppliedFiles and AppliedOSImage. machine-config-operator creates ImagePulledFromRegistry
// in standard mode, too.
func (m Mode) IsImage(list []metav1.Condition) bool {
	if m != ModeOfObject {
		return m == Image
	}
	return conditions.Find(list, phases.AppliedFiles) != nil || conditions.Find(list, phases.AppliedOSImage) != nil
}

// NewNode returns the view of a Node. An annotation that the CRD rejects is left out, so that the
// rest can be reported; the error is the *field.Error of the first such annotation.
func NewNode(node *corev1.Node, pool string, mode Mode) (n Node, invalid error) {
	read := func(annotation string, valid func(string) bool) string {
		value := node.Annotations[annotation]
		if value == "" || valid(value) {
			return value
		}
		if invalid == nil {
			invalid = field.Invalid(field.NewPath("metadata", "annotations").Key(annotation), value, "the CRD rejects it")
		}
		return ""
	}
	n = Node{Owner: nodemeta.Owner(node), Pool: pool, Mode: mode, Provisioned: nodemeta.IsProvisioned(node)}
	n.CurrentConfig = read(nodemeta.CurrentConfig, validate.IsName)
	n.DesiredConfig = read(nodemeta.DesiredConfig, validate.IsName)
	if mode != Standard {
		n.CurrentImage = read(nodemeta.CurrentImage, validate.IsImage)
		n.DesiredImage = read(nodemeta.DesiredImage, validate.IsImage)
		n.InvalidCurrentImage = n.CurrentImage != node.Annotations[nodemeta.CurrentImage]
		n.InvalidDesiredImage = n.DesiredImage != node.Annotations[nodemeta.DesiredImage]
	}
	return n, invalid
}

// hasConfig reports whether the Node names a config. Then an image that it does not name does not
// exist.
func (v Versions) hasConfig() bool {
	return v.CurrentConfig != "" || v.DesiredConfig != ""
}
