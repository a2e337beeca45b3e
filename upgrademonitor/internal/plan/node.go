package plan

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"

	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeannotation"
)

// Node is what the annotations of a Node contain, "" where one is absent. Images count in image
// mode only.
type Node struct {
	CurrentConfig, DesiredConfig string
	CurrentImage, DesiredImage   string

	// An image that the CRD rejects is neither set nor cleared.
	InvalidCurrentImage, InvalidDesiredImage bool
}

// Warning is an annotation with a value that the CRD rejects.
type Warning struct {
	Annotation, Value string
}

// ReadNode reads the annotations of a Node. A value that the CRD rejects is left out, with a
// warning, so that the rest can be reported.
func ReadNode(annotations map[string]string, imageMode bool) (Node, []Warning) {
	var warnings []Warning
	read := func(annotation string, valid func(string) bool) string {
		value := annotations[annotation]
		if value == "" || valid(value) {
			return value
		}
		warnings = append(warnings, Warning{Annotation: annotation, Value: value})
		return ""
	}
	n := Node{
		CurrentConfig: read(nodeannotation.CurrentConfig, validate.IsName),
		DesiredConfig: read(nodeannotation.DesiredConfig, validate.IsName),
	}
	if imageMode {
		n.CurrentImage = read(nodeannotation.CurrentImage, validate.IsImage)
		n.DesiredImage = read(nodeannotation.DesiredImage, validate.IsImage)
		n.InvalidCurrentImage = n.CurrentImage != annotations[nodeannotation.CurrentImage]
		n.InvalidDesiredImage = n.DesiredImage != annotations[nodeannotation.DesiredImage]
	}
	return n, warnings
}

func (n Node) target() Target {
	return Target{Config: n.DesiredConfig, Image: n.DesiredImage}
}

// hasConfig reports whether the Node names a config, so that an image that it does not name is
// one that it does not have.
func (n Node) hasConfig() bool {
	return n.CurrentConfig != "" || n.DesiredConfig != ""
}

// updateVersions makes the versions and images of a status those of the node.
//
//  1. What is current follows the node at once.
//  2. What is desired follows it when prepared is set: when UpdatePrepared turns True, and with
//     Updated=True.
//  3. In image mode, an image that the node does not name is cleared: the desired one when it
//     would follow, the current one with ended, Updated=True.
//  4. A node that names no config clears nothing.
func (n Node) updateVersions(status *mcfgv1.MachineConfigNodeStatus, imageMode, prepared, ended bool) {
	config := mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Desired: NotYetSet}
	if status.ConfigVersion != nil {
		config = *status.ConfigVersion
	}
	if n.CurrentConfig != "" {
		config.Current = n.CurrentConfig
	}
	if prepared && n.DesiredConfig != "" {
		config.Desired = n.DesiredConfig
	}
	status.ConfigVersion = &config
	if !imageMode || !n.hasConfig() {
		return
	}
	if n.CurrentImage != "" || ended && !n.InvalidCurrentImage {
		status.ConfigImage.CurrentImage = mcfgv1.ImageDigestFormat(n.CurrentImage)
	}
	if prepared && !n.InvalidDesiredImage {
		status.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(n.DesiredImage)
	}
}
