package conditions

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// When an update ends while children are Unknown, the message of Updated ends with this mark and the
// names of these children. Example: "Node is updated; not complete: Drained, Cordoned"
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

// withIncomplete adds the mark and the names to the end of a message. If the message already ends with
// the mark and names, it replaces them.
func withIncomplete(message string, names []string) string {
	if len(names) == 0 {
		return message
	}
	text, _ := cutIncomplete(message)
	suffix := incompleteMark + strings.Join(names, ", ")
	return TruncateTo(text, maxMessage-len(suffix)) + suffix
}

// keepIncomplete returns a new message with the mark and the names that the old message ends with.
func keepIncomplete(old, message string) string {
	_, names := cutIncomplete(old)
	return withIncomplete(message, names)
}

// withoutIncomplete removes the name of a phase from the names after the mark.
func withoutIncomplete(message string, p phases.Phase) string {
	text, names := cutIncomplete(message)
	isPhase := func(name string) bool { return name == string(p) }
	return withIncomplete(text, slices.DeleteFunc(names, isPhase))
}

// cutIncomplete splits a message into the text before the mark, and the names after it. If the
// message does not end with the mark and names of children, the text is the whole message.
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
