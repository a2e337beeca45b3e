package pool

// ImageState is what is known of the OS image of a pool.
type ImageState string

const (
	// ImageUnknown means that the host does not know. Each node is to have the image that it desires.
	ImageUnknown ImageState = ""
	// ImageNone means that the pool is not layered. Its nodes are to have no image.
	ImageNone ImageState = "None"
	// ImageBuilding means that the image is being built, or is about to be. No node can have it yet.
	ImageBuilding ImageState = "Building"
	// ImageBuildFailed means that the build has failed or was interrupted. No node can have the image.
	ImageBuildFailed ImageState = "BuildFailed"
	// ImageBuilt means that the image exists, and all nodes are to have it.
	ImageBuilt ImageState = "Built"
)

// Image is the OS image that the nodes of a pool are to have. The zero value is an image that is
// not known.
type Image struct {
	State ImageState
	// PullSpec is the image, by digest, of ImageBuilt. Without one, it counts as ImageBuilding.
	PullSpec string
	// Message is a phrase for the pool's conditions, the name or the error of a build for
	// instance, of ImageBuilding and ImageBuildFailed. Optional.
	Message string
}

// exists reports whether nodes can have the image, as far as is known.
func (i Image) exists() bool {
	switch i.state() {
	case ImageBuilding, ImageBuildFailed:
		return false
	default:
		return true
	}
}

// isOn reports whether a node that desires and has these images has the right one.
func (i Image) isOn(desired, current string) bool {
	switch i.state() {
	case ImageNone:
		return desired == "" && current == ""
	case ImageBuilt:
		return desired == i.PullSpec && current == i.PullSpec
	case ImageUnknown:
		return desired == current
	default:
		return false
	}
}

// state returns the state, or the one that an incomplete or unknown value counts as.
func (i Image) state() ImageState {
	switch i.State {
	case ImageBuilt:
		if i.PullSpec == "" {
			return ImageBuilding
		}
		return ImageBuilt
	case ImageNone, ImageBuilding, ImageBuildFailed:
		return i.State
	default:
		return ImageUnknown
	}
}
