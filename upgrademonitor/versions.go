package upgrademonitor

import (
	"context"
	"regexp"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/klog/v2"
)

// maxImage is how long the CRD lets an image be.
const maxImage = 447

// imageRegexp is what the CRD takes as an image: host[:port]/[namespace/]name@sha256:digest.
var imageRegexp = regexp.MustCompile(`^([a-zA-Z0-9-]+\.)+[a-zA-Z0-9-]+(:[0-9]{2,5})?/([a-zA-Z0-9-_]{0,61}/)?[a-zA-Z0-9-_.]*?@sha256:[a-f0-9]{64}$`)

// versions is what the annotations of a Node say; "" where one is absent. Images count in
// image mode only.
type versions struct {
	currentConfig, desiredConfig string
	currentImage, desiredImage   string

	// An image that the CRD cannot hold is left out, and so is neither there nor gone.
	badCurrentImage, badDesiredImage bool
}

// target is what a node is to be updated to.
type target struct {
	config, image string
}

func (v versions) target() target {
	return target{config: v.desiredConfig, image: v.desiredImage}
}

// named reports whether the node says which configs it has, so that an image that it does
// not name is one that it does not have.
func (v versions) named() bool {
	return v.currentConfig != "" || v.desiredConfig != ""
}

// versionsOf reads the annotations of a node. A value that the CRD would reject is left out,
// so that the rest can be reported.
func versionsOf(ctx context.Context, node *corev1.Node, imageMode bool) versions {
	read := func(annotation string, fits func(string) bool) string {
		value := node.Annotations[annotation]
		if value == "" || fits(value) {
			return value
		}
		klog.FromContext(ctx).Info("Warning: left out what the annotation of a node says, for the MachineConfigNode cannot hold it",
			"node", node.Name, "annotation", annotation, "value", value)
		return ""
	}
	v := versions{
		currentConfig: read(CurrentConfigAnnotation, isName),
		desiredConfig: read(DesiredConfigAnnotation, isName),
	}
	if imageMode {
		v.currentImage = read(CurrentImageAnnotation, isImage)
		v.desiredImage = read(DesiredImageAnnotation, isImage)
		v.badCurrentImage = v.currentImage != node.Annotations[CurrentImageAnnotation]
		v.badDesiredImage = v.desiredImage != node.Annotations[DesiredImageAnnotation]
	}
	return v
}

func isName(value string) bool { return len(validation.IsDNS1123Subdomain(value)) == 0 }

func isImage(value string) bool { return len(value) <= maxImage && imageRegexp.MatchString(value) }

// follow makes the versions and images of a status what the node says.
//
//  1. What runs now follows the node at once.
//  2. What is desired follows it when validated says that the node took it on: when
//     UpdatePrepared turns True, and with Updated=True.
//  3. In image mode, an image that the node does not name goes: the desired one when it
//     would follow, the current one with ended, Updated=True.
//  4. A node that names no config erases nothing.
func (v versions) follow(status *mcfgv1.MachineConfigNodeStatus, imageMode, validated, ended bool) {
	config := mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: NotYetSet}
	if status.ConfigVersion != nil {
		config = *status.ConfigVersion
	}
	if v.currentConfig != "" {
		config.Current = v.currentConfig
	}
	if validated && v.desiredConfig != "" {
		config.Desired = v.desiredConfig
	}
	status.ConfigVersion = &config
	if !imageMode || !v.named() {
		return
	}
	if v.currentImage != "" || ended && !v.badCurrentImage {
		status.ConfigImage.CurrentImage = mcfgv1.ImageDigestFormat(v.currentImage)
	}
	if validated && !v.badDesiredImage {
		status.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(v.desiredImage)
	}
}
