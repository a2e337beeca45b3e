package conditions

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// incompleteMark precedes, in the message of Updated, the names of the children that were Unknown
// when the update ended.
const incompleteMark = "; not complete: "

// unknownChildren returns the names of the children that are Unknown.
func unknownChildren(list []metav1.Condition) []string {
	var names []string
	for i := range list {
		if _, ok := phases.ParentOf(phases.Phase(list[i].Type)); ok && list[i].Status == metav1.ConditionUnknown {
			names = append(names, list[i].Type)
		}
	}
	return names
}

// withIncomplete returns the message with the names at its end.
func withIncomplete(message string, names []string) string {
	if len(names) == 0 {
		return message
	}
	text, _ := cutIncomplete(message)
	suffix := incompleteMark + strings.Join(names, ", ")
	return TruncateTo(text, maxMessage-len(suffix)) + suffix
}

// keepIncomplete returns the message with the names at the end of the known message.
func keepIncomplete(known, message string) string {
	_, names := cutIncomplete(known)
	return withIncomplete(message, names)
}

// withoutIncomplete returns the message without the name of a phase.
func withoutIncomplete(message string, p phases.Phase) string {
	text, names := cutIncomplete(message)
	return withIncomplete(text, slices.DeleteFunc(names, func(name string) bool { return name == string(p) }))
}

// cutIncomplete splits a message into the text and the names at its end.
func cutIncomplete(message string) (text string, names []string) {
	i := strings.LastIndex(message, incompleteMark)
	if i < 0 {
		return message, nil
	}
	names = strings.Split(message[i+len(incompleteMark):], ", ")
	for _, name := range names {
		if _, ok := phases.ParentOf(phases.Phase(name)); !ok {
			return message, nil
		}
	}
	return message[:i], names
}
