package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// Report is what is said of one phase, and what the list itself cannot know.
type Report struct {
	// Phase, Status, Reason and Message are the condition that is reported. The message
	// is cut to what fits.
	Phase   phases.Phase
	Status  metav1.ConditionStatus
	Reason  string
	Message string

	// CompletesParent says that the phase's parent is done when the phase is. It counts
	// with Status True only.
	CompletesParent bool
	// ParentMessage is what the parent shall say; "" stands for Message.
	ParentMessage string

	// Update names the update under way, or the last one where none is: what the
	// messages of phases that ran are prefixed with.
	Update string
	// NewTarget says that the node is to be updated to something else than the update
	// under way was for, so that Updated=False begins another one.
	NewTarget bool
	// Begun says that this report, Updated=False, has begun its update in an earlier
	// write, and that UpdatePrepared may be left to start.
	Begun bool

	// Late says that the update which this report belongs to has ended since it was
	// accepted, so that it cannot begin another one.
	Late bool

	// Time is when the report was accepted; it counts in whole seconds.
	Time metav1.Time
}
