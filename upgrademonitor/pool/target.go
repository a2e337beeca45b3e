package pool

// ImageState is what is known of the OS image of a pool.
type ImageState string

const (
	// ImageUnknown means that the image is not known. Each node is to have the image that it desires.
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

// The reasons why no node can have a target.
const (
	reasonNoConfiguration  = "NoConfiguration"
	reasonImageBuilding    = "ImageBuilding"
	reasonImageBuildFailed = "ImageBuildFailed"
)

// target is what the nodes of a pool are to have.
type target struct {
	config string
	image  Image // in one of the states above
}

// newTarget returns a target. An image of a state that this package does not know is unknown.
func newTarget(config string, image Image) target {
	switch image.State {
	case ImageNone, ImageBuilding, ImageBuildFailed:
	case ImageBuilt:
		if image.PullSpec == "" {
			image.State = ImageBuilding
		}
	default:
		image.State = ImageUnknown
	}
	return target{config, image}
}

// missing returns the reason why no node can have the target, "" if it exists.
func (t target) missing() string {
	switch {
	case t.config == "":
		return reasonNoConfiguration
	case t.image.State == ImageBuilding:
		return reasonImageBuilding
	case t.image.State == ImageBuildFailed:
		return reasonImageBuildFailed
	}
	return ""
}

// hasImage reports whether a node that desires and has these images has the right one.
func (t target) hasImage(desired, current string) bool {
	switch t.image.State {
	case ImageNone:
		return desired == "" && current == ""
	case ImageBuilt:
		return desired == t.image.PullSpec && current == t.image.PullSpec
	case ImageUnknown:
		return desired == current
	default:
		return false
	}
}

// String names the target in a message.
func (t target) String() string {
	if t.image.State != ImageBuilt {
		return "MachineConfig " + t.config
	}
	return "MachineConfig " + t.config + " / Image " + t.image.PullSpec
}
