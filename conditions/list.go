package conditions

import (
	"fmt"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

const (
	notYetOccurred = "NotYetOccurred" // the reason of a condition whose phase was never reported
	truncationMark = "… [truncated]"

	prefixStart = "Action during update to "
	prefixEnd   = ": "
)

// IsReservedReason reports whether the reason of a condition means that its phase was never
// reported. It is true for NotYetOccurred, and for NotYetOccured, which older daemons write.
func IsReservedReason(reason string) bool {
	return reason == notYetOccurred || reason == "NotYetOccured"
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
			Reason:             notYetOccurred,
			Message:            fmt.Sprintf("This node has not yet entered the %s phase", p),
		})
	}
	return complete
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
