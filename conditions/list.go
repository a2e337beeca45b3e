package conditions

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// NotYetOccurred is the reason of a phase that was never reported.
const NotYetOccurred = "NotYetOccurred"

const (
	prefixStart = "Action during update to "
	prefixEnd   = ": "
)

// IsReservedReason reports whether the reason of a condition means that its phase was never
// reported. It is true for NotYetOccurred, and for NotYetOccured, which older daemons write.
func IsReservedReason(reason string) bool {
	return reason == NotYetOccurred || reason == "NotYetOccured"
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

// WithUpdatePrefix returns the message with the prefix "Action during update to <update>: ". A message that
// already has a prefix gets no second one.
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
