package machine

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/validate"
)

// NotYetSet stands for the name of a pool or a config that is not known yet.
const NotYetSet = "not-yet-set"

// The annotations of a Node that name its current and its desired config and image.
const (
	CurrentConfig = "machineconfiguration.openshift.io/currentConfig"
	DesiredConfig = "machineconfiguration.openshift.io/desiredConfig"
	CurrentImage  = "machineconfiguration.openshift.io/currentImage"
	DesiredImage  = "machineconfiguration.openshift.io/desiredImage"
)

// Node has the facts about a Node that Plan needs.
type Node struct {
	Owner metav1.OwnerReference
	Pool  string // the name of the pool, or NotYetSet if the pool is not known
	Mode  Mode
	// Provisioned is set if the Node can get a MachineConfigNode: see IsProvisioned.
	Provisioned bool
	// ConditionsOnly is set in a controller, which writes only conditions: the daemon of the node
	// writes the spec, the owner references, and the configs and images in the status.
	ConditionsOnly bool
	Versions
}

// Versions has the configs and images in the annotations of a Node. A missing or invalid annotation is
// "". In standard mode, the images are not used.
type Versions struct {
	CurrentConfig, DesiredConfig string
	CurrentImage, DesiredImage   string

	// These fields are set if the CRD rejects the image in the annotation. Then the image in the object
	// stays unchanged.
	InvalidCurrentImage, InvalidDesiredImage bool
}

// Equal reports whether n and o are the same Node with the same configs and images.
func (n Node) Equal(o Node) bool { return n.Owner.UID == o.Owner.UID && n.Versions == o.Versions }

// Mode is the mode of a node, which determines the phases of its updates.
type Mode string

// The modes.
const (
	// ModeOfObject means that an existing object keeps its mode, and a new object is in standard mode.
	ModeOfObject Mode = ""
	Standard     Mode = "Standard"
	Image        Mode = "Image"
)

// IsImage reports whether an object with these conditions is in image mode.
func (m Mode) IsImage(list []metav1.Condition) bool {
	return m == Image || m == ModeOfObject && conditions.InImageMode(list)
}

// NewNode reads a Node. It omits an annotation with a value that the CRD rejects. invalid is a
// *field.Error for an omitted annotation, or nil.
func NewNode(node *corev1.Node, pool string, mode Mode) (n Node, invalid error) {
	read := func(annotation string, valid func(string) bool) string {
		value := node.Annotations[annotation]
		if value == "" || valid(value) {
			return value
		}
		path := field.NewPath("metadata", "annotations").Key(annotation)
		invalid = field.Invalid(path, value, "the CRD rejects this value")
		return ""
	}
	n = Node{Owner: Owner(node), Pool: pool, Mode: mode, Provisioned: IsProvisioned(node)}
	n.CurrentConfig = read(CurrentConfig, validate.IsName)
	n.DesiredConfig = read(DesiredConfig, validate.IsName)
	if mode != Standard {
		n.CurrentImage = read(CurrentImage, validate.IsImage)
		n.DesiredImage = read(DesiredImage, validate.IsImage)
		n.InvalidCurrentImage = n.CurrentImage != node.Annotations[CurrentImage]
		n.InvalidDesiredImage = n.DesiredImage != node.Annotations[DesiredImage]
	}
	return n, invalid
}

// hasConfig reports whether the Node has a config annotation. If so, a missing image annotation
// means that the node does not use an image.
func (v Versions) hasConfig() bool { return v.CurrentConfig != "" || v.DesiredConfig != "" }

// isToldToUpdate reports whether the Node desires another config or image than it runs.
func (v Versions) isToldToUpdate() bool {
	return v.CurrentConfig != v.DesiredConfig || v.CurrentImage != v.DesiredImage
}

// runsDesired reports whether the Node runs the config that it desires.
func (v Versions) runsDesired() bool {
	return v.DesiredConfig != "" && v.CurrentConfig == v.DesiredConfig
}

// IsProvisioned reports whether a Node has left the phases Pending and Provisioning. A Node in one of
// these phases may not be part of the cluster yet, and gets no MachineConfigNode.
func IsProvisioned(node *corev1.Node) bool {
	return node.Status.Phase != corev1.NodePending && node.Status.Phase != "Provisioning"
}

// Owner returns an owner reference to a Node.
func Owner(node *corev1.Node) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}
}

// IsOwner reports whether an owner reference refers to a Node.
func IsOwner(reference metav1.OwnerReference) bool {
	return reference.APIVersion == "v1" && reference.Kind == "Node"
}

// replaceOwner returns the references with owner as the only reference to a Node. References to
// other kinds stay. If owner has no UID, the list stays unchanged.
func replaceOwner(references []metav1.OwnerReference, owner metav1.OwnerReference) []metav1.OwnerReference {
	isAnother := func(r metav1.OwnerReference) bool { return IsOwner(r) && (r.Name != owner.Name || r.UID != owner.UID) }
	isPresent := slices.ContainsFunc(references, func(r metav1.OwnerReference) bool { return IsOwner(r) && !isAnother(r) })
	if owner.UID == "" || isPresent && !slices.ContainsFunc(references, isAnother) {
		return references
	}
	return append(slices.DeleteFunc(slices.Clone(references), IsOwner), owner)
}
