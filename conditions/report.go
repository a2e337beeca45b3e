package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// Report is a report on one phase, with the context that the list does not hold.
type Report struct {
	// Phase, Status, Reason and Message are the reported condition. A message that is too long
	// is truncated.
	Phase   phases.Phase
	Status  metav1.ConditionStatus
	Reason  string
	Message string

	// CompletesParent turns the parent of the phase True with it. It is ignored if Status is not
	// True, or while another child of the parent is Unknown.
	CompletesParent bool
	// ParentMessage is the message of the parent. Default: Message.
	ParentMessage string

	// Update is the name of the current update, or of the last one if there is none. The
	// messages of phases that ran are prefixed with it.
	Update string
	// NewTarget is set if the node has another target than the current update, so that
	// Updated=False, or UpdatePrepared, begins another update.
	NewTarget bool
	// Began is set if this report has begun its update in an earlier write, so that only
	// UpdatePrepared may have to follow.
	Began bool

	// Expired is set if the update of this report has ended since it was accepted, so that it
	// must not begin another one.
	Expired bool

	// Time is when the report was accepted. It is truncated to seconds.
	Time metav1.Time
}
