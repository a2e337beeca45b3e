package planner

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/transitions"
)

// Node has the facts about a Node that Plan needs.
type Node struct {
	Owner metav1.OwnerReference
	Pool  string // the name of the pool, or nodemeta.NotYetSet if the pool is not known
	Mode  Mode
	// Provisioned is set if the Node can get a MachineConfigNode: see nodemeta.IsProvisioned.
	Provisioned bool
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

// hasSameVersions reports whether n and o are the same Node with the same configs and images.
func (n Node) hasSameVersions(o Node) bool {
	return n.Owner.UID == o.Owner.UID && n.Versions == o.Versions
}

// Mode is the mode of a node, which determines the phases of its updates.
type Mode string

// The modes.
const (
	// ModeOfObject means that an existing object keeps its mode, and a new object is in standard mode.
	ModeOfObject Mode = ""
	Standard     Mode = "Standard"
	Image        Mode = "Image"
)

// ModeOf returns the mode of an object with these conditions.
func ModeOf(list []metav1.Condition) Mode {
	if transitions.InImageMode(list) {
		return Image
	}
	return Standard
}

// withModeOf returns the Node with the mode of an object, if the Node has no mode of its own.
func (n Node) withModeOf(s State) Node {
	if n.Mode == ModeOfObject {
		n.Mode = ModeOf(s.Status.Conditions)
	}
	return n
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
	n = Node{Owner: nodemeta.Owner(node), Pool: pool, Mode: mode, Provisioned: nodemeta.IsProvisioned(node)}
	n.CurrentConfig = read(nodemeta.CurrentConfig, nodemeta.IsName)
	n.DesiredConfig = read(nodemeta.DesiredConfig, nodemeta.IsName)
	if mode != Standard {
		n.CurrentImage = read(nodemeta.CurrentImage, nodemeta.IsImage)
		n.DesiredImage = read(nodemeta.DesiredImage, nodemeta.IsImage)
		n.InvalidCurrentImage = n.CurrentImage != node.Annotations[nodemeta.CurrentImage]
		n.InvalidDesiredImage = n.DesiredImage != node.Annotations[nodemeta.DesiredImage]
	}
	return n, invalid
}

// withOrder returns the Node as it was when the daemon took up an order: it desires the config and the image of
// the order. If there is no order, the Node stays unchanged. An image that was not known then, and that the node
// already runs, is no other order.
func (n Node) withOrder(order Versions) Node {
	if order.DesiredConfig == "" {
		return n
	}
	n.DesiredConfig = order.DesiredConfig
	if order.DesiredImage != "" || order.CurrentImage != "" || n.DesiredImage != n.CurrentImage {
		n.DesiredImage, n.InvalidDesiredImage = order.DesiredImage, order.InvalidDesiredImage
	}
	return n
}

// hasConfig reports whether the Node has a config annotation. If so, a missing image annotation
// means that the node does not use an image.
func (v Versions) hasConfig() bool { return v.CurrentConfig != "" || v.DesiredConfig != "" }

// runs reports whether the Node runs a config and, in image mode, an image.
func (n Node) runs(config string, image mcfgv1.ImageDigestFormat) bool {
	return n.CurrentConfig == config && (n.Mode != Image || n.CurrentImage == string(image))
}

// runsDesired reports whether the Node runs the config that it desires.
func (v Versions) runsDesired() bool {
	return v.DesiredConfig != "" && v.CurrentConfig == v.DesiredConfig
}
