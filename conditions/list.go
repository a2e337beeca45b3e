package conditions

import (
	"fmt"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// ReasonNotYetOccurred is the reason of a condition whose phase was never reported.
const ReasonNotYetOccurred = "NotYetOccurred"

const (
	truncationMark = "… [truncated]"

	prefixStart = "Action during update to "
	prefixEnd   = ": "
)

// IsReservedReason reports whether the reason of a condition means that its phase was never
// reported. It is true for ReasonNotYetOccurred, and for NotYetOccured, which older daemons write.
func IsReservedReason(reason string) bool {
	return reason == ReasonNotYetOccurred || reason == "NotYetOccured"
}

// Find returns a pointer to the first condition of a phase in the list, or nil.
func Find(list []metav1.Condition, p phases.Phase) *metav1.Condition {
	for i := range list {
		if list[i].Type == string(p) {
			return &list[i]
		}
	}
	return nil
}

// StatusOf returns the status of a phase in the list. A missing condition counts as False.
func StatusOf(list []metav1.Condition, p phases.Phase) metav1.ConditionStatus {
	if c := Find(list, p); c != nil {
		return c.Status
	}
	return metav1.ConditionFalse
}

// Ran reports whether the status of a phase is Unknown or True.
func Ran(list []metav1.Condition, p phases.Phase) bool {
	return StatusOf(list, p) != metav1.ConditionFalse
}

// Complete returns one condition for each phase of the mode, in the order of phases.All. It adds
// missing conditions as False, and omits conditions of the other mode and of other clients.
func Complete(list []metav1.Condition, imageMode bool, now metav1.Time) []metav1.Condition {
	var complete []metav1.Condition
	for _, p := range phases.All(imageMode) {
		if c := Find(list, p); c != nil {
			complete = append(complete, *c)
			continue
		}
		complete = append(complete, metav1.Condition{
			Type:               string(p),
			Status:             metav1.ConditionFalse,
			LastTransitionTime: now,
			Reason:             ReasonNotYetOccurred,
			Message:            fmt.Sprintf("This node has not yet entered the %s phase", p),
		})
	}
	return complete
}

// InImageMode reports whether an object with these conditions is in image mode: it has AppliedFiles
// or AppliedOSImage, which exist only in image mode. If it also has AppliedFilesAndOS, which exists
// only in standard mode, the object is in the mode whose conditions are Unknown or True.
// ImagePulledFromRegistry is ignored, because machine-config-operator creates it in both modes.
func InImageMode(list []metav1.Condition) bool {
	ranImage := Ran(list, phases.AppliedFiles) || Ran(list, phases.AppliedOSImage)
	if ranImage != Ran(list, phases.AppliedFilesAndOS) {
		return ranImage
	}
	return Find(list, phases.AppliedFiles) != nil || Find(list, phases.AppliedOSImage) != nil
}

// TruncateTo returns the message as valid UTF-8 with at most limit bytes. In a longer message,
// a mark replaces the middle. The end stays, because it usually names the cause of an error.
func TruncateTo(message string, limit int) string {
	message = strings.ToValidUTF8(message, string(utf8.RuneError))
	if len(message) <= limit {
		return message
	}
	room := max(0, limit-len(truncationMark))
	head, tail := message[:room-room/2], message[len(message)-room/2:]
	return strings.ToValidUTF8(head, "") + truncationMark + strings.ToValidUTF8(tail, "")
}

// WithUpdatePrefix returns the message with the prefix "Action during update to <update>: ". A message
// that already has the prefix of an update gets no second prefix.
func WithUpdatePrefix(message, update string) string {
	if HasUpdatePrefix(message) {
		return message
	}
	return prefixStart + update + prefixEnd + message
}

// HasUpdatePrefix reports whether a message starts with "Action during update to ". The messages of
// steps get this prefix when an update ends.
func HasUpdatePrefix(message string) bool { return strings.HasPrefix(message, prefixStart) }

// TrimUpdatePrefix returns the message without the prefix "Action during update to <update>: ", if
// it has one.
func TrimUpdatePrefix(message string) string {
	if _, text, ok := strings.Cut(message, prefixEnd); ok && HasUpdatePrefix(message) {
		return text
	}
	return message
}
