package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// InImageMode reports whether an object with these conditions is in image mode: it has AppliedFiles
// or AppliedOSImage, which exist only in image mode. If it also has AppliedFilesAndOS, which exists
// only in standard mode, the object is in the mode whose conditions are Unknown or True.
// ImagePulledFromRegistry is ignored, because machine-config-operator creates it in both modes.
func InImageMode(list []metav1.Condition) bool {
	var hasImage, ranImage bool
	for _, p := range []phases.Phase{phases.AppliedFiles, phases.AppliedOSImage} {
		hasImage = hasImage || Find(list, p) != nil
		ranImage = ranImage || Ran(list, p)
	}
	if ranImage != Ran(list, phases.AppliedFilesAndOS) {
		return ranImage
	}
	return hasImage
}
