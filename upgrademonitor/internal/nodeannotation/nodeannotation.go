// Package nodeannotation names the annotations of a Node that contain what it runs and what it is
// to run. Images are those of image mode.
package nodeannotation

const prefix = "machineconfiguration.openshift.io/"

// The annotations of a Node.
const (
	CurrentConfig = prefix + "currentConfig"
	DesiredConfig = prefix + "desiredConfig"
	CurrentImage  = prefix + "currentImage"
	DesiredImage  = prefix + "desiredImage"
)
