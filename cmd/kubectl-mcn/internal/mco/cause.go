package mco

import (
	"strings"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/phases"
)

// readCause sets Message, IsOfStep, Failing, IsOld and Pods, and the Step if a parent has failed before its next child.
func (n *Node) readCause(list []metav1.Condition) {
	text, of := n.messageOfStep(list)
	if parent, _ := phases.ParentOf(n.Step); parent == of && !n.HasBegun() {
		n.Step = of
	}
	message, isDrainError := cutDrainError(text)
	n.Message, n.IsOfStep = message, message != ""
	hasFailed := isDrainError || isError(message)
	n.Failing = !n.Degraded && hasFailed
	degraded, isLater := n.causeInErrors(), n.isLaterAttempt(list)
	// After an hour, a failing drain makes the node degraded. The error of the drain has more
	// details than the report of the daemon.
	if degraded != "" && (!hasFailed || !isLater && !drainTimeout.MatchString(degraded)) {
		n.Message, n.IsOfStep = degraded, false
		n.IsOld = isLater || n.DegradedInObject && conditions.HasUpdatePrefix(messageOf(list, phases.NodeDegraded))
	}
	if !n.IsOld || n.Step == phases.Drained { // the drain goes on with these pods
		n.Pods = podsOf(n.Message)
	}
}

// isLaterAttempt reports whether the errors of a degraded node are of an earlier attempt: a step has changed after
// NodeDegraded became True, or the drain that has failed is complete. The state annotation does not tell: the
// daemon leaves it at Degraded in each attempt after a failure.
func (n *Node) isLaterAttempt(list []metav1.Condition) bool {
	if !n.InUpdate() && !n.DoneByNode { // its files have drifted
		return false
	}
	isDrained, _ := sinceTrue(list, phases.Drained)
	isDrained = isDrained || n.LastAppliedDrain == nodemeta.Drain+"-"+n.Desired.Config
	if isDrained && drainTimeout.MatchString(n.causeInErrors()) {
		return true
	}
	return n.DegradedInObject && lastStep(list).After(n.DegradedSince)
}

// causeInErrors returns the first of Errors. If the second contains the first, the result is the
// second, because it has more details. The beginning that names the node is removed.
func (n *Node) causeInErrors() string {
	cause := ""
	for _, text := range n.Errors {
		text = upgradeFailure.ReplaceAllString(Plain(text), "")
		if strings.Contains(text, cause) {
			cause = text
		}
	}
	return cause
}

// Plain removes the colors that a tool such as rpm-ostree writes for a terminal, also from quoted text.
func Plain(text string) string {
	if !strings.ContainsAny(text, "[\u009b") {
		return text
	}
	return colors.ReplaceAllString(text, "")
}

// isError reports whether the message of a step is an error. A step describes its work in a sentence,
// which may have words of errors: "Deleting failed pods". So the words count only after a colon, or in a
// message that does not begin as a sentence.
func isError(message string) bool {
	if errorStart.MatchString(message) {
		return true
	}
	first, rest, _ := strings.Cut(message, ": ")
	initial, _ := utf8.DecodeRuneInString(first)
	return errorWords.MatchString(rest) || !unicode.IsUpper(initial) && errorWords.MatchString(first)
}

// messageOfStep returns the message of the running or failed step, and the phase that has it. If this message is no
// error, it returns the error of another phase: of a parent that fails by itself, of a step that failed before this step
// began, or of a step that the daemon repeats when it restarts.
func (n *Node) messageOfStep(list []metav1.Condition) (string, phases.Phase) {
	message := n.ownMessage(list)
	if isError(message) {
		return message, n.Step
	}
	isDrained, _ := sinceTrue(list, phases.Drained)
	for _, c := range list {
		p := phases.Phase(c.Type)
		mayFail := (phasetable.IsStep(p) || p == phases.Updated) && c.Status != metav1.ConditionTrue && reportedSinceEnd(list, p)
		if !n.InUpdate() { // a daemon reports such an error when it restarts, and the status stays as it is
			mayFail = phasetable.IsStep(p) && !phasetable.RunsOnlyInUpdate(p)
		}
		text := Plain(conditions.TrimUpdatePrefix(c.Message))
		isPast := isDrained && isOfDrain(text) || indexOf(n.Steps, p) >= 0 && n.HasBegun() && isOver(p, n.Step)
		if mayFail && isError(text) && !isPast {
			return text, p
		}
	}
	return message, n.Step
}

// ownMessage returns the message of the running or failed step, or "".
func (n *Node) ownMessage(list []metav1.Condition) string {
	for _, p := range []phases.Phase{childOfV1alpha1[n.Step], n.Step} {
		if conditions.StatusOf(list, p) == metav1.ConditionUnknown {
			return messageOf(list, p)
		}
	}
	if at := indexOf(n.Steps, n.Step); at >= 0 {
		return n.Steps[at].Message
	}
	return ""
}

// childOfV1alpha1 maps a step to its child in the v1alpha1 API. The message of the child has more
// details than the message of the step.
var childOfV1alpha1 = map[phases.Phase]phases.Phase{
	phases.UpdatePrepared:           "UpdateCompatible",
	phases.UpdatePostActionComplete: "ReloadedCRIO",
}
