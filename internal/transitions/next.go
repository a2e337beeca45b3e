package transitions

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/internal/truncate"
	"github.com/openshift/upgrademonitor/phases"
)

// disruptionMessage is the message of Updated if the report of a step turns Updated False. It is
// the text of machine-config-operator, because some tools look for this text.
const disruptionMessage = "This node is not updated, sensed disruption via a manual update."

// unannouncedMessage is the message of Updated if a step is reported on an object that was deleted during the update.
const unannouncedMessage = "This node is not updated, the start of its update is not known."

// maxMessage is the maximum length of a message in bytes, which keeps the object small.
const maxMessage = 4096

// Next returns the list of the next write for a report, or nil if nothing is left to write. If done is
// false, more writes follow: call Next again with the returned list and the same report. The result
// has one condition for each phase of the mode.
//
//  1. Each write changes a phase by at most one status, in the order that Path returns. When
//     an update starts or ends, a step may also change from Unknown to False.
//  2. If the status of a condition changes, its LastTransitionTime becomes the time of the report.
//     LastTransitionTime never decreases, even if the clocks of two processes differ.
//  3. If one write cannot start an update, the first write only sets all steps to False.
//  4. The error is a *phases.TransitionError if Path rejects the change, or if a Parent is
//     reported True while one of its children is Unknown. It is the *field.Error of CheckMode if
//     the phase does not exist in the mode. The report must be valid: see Report.Validate.
func Next(list []metav1.Condition, inImageMode bool, r Report, update Update) (next []metav1.Condition, done bool, err error) {
	if r.NotRequired {
		r.Status = metav1.ConditionFalse
		if HasStarted(list, r.Phase) {
			r.Status = metav1.ConditionTrue
		}
	}
	if err := CheckMode(r.Phase, inImageMode); err != nil {
		return nil, true, err
	}
	r.Time = metav1.NewTime(r.Time.UTC().Truncate(time.Second))
	r.Message = truncate.To(r.Message, maxMessage)

	before := Complete(list, inImageMode, r.Time)
	next, done, err = write(before, r, update)
	if err != nil || done && Equal(list, next) {
		return nil, true, err
	}
	for i := range next {
		if next[i].Status != before[i].Status && !r.Time.Before(&before[i].LastTransitionTime) {
			next[i].LastTransitionTime = r.Time
		}
	}
	return next, done, nil
}

// write is Next without the times: each condition has its old lastTransitionTime.
//
// Why so many cases: a report means something else at each point of the update cycle. For example, Updated=False
// starts an update, repeats its start, replaces an update by another one, or comes too late. The cases are in the order
// in which they exclude each other, so that the rest is only a phase that moves along its path.
func write(before []metav1.Condition, r Report, update Update) (next []metav1.Condition, done bool, err error) {
	from := conditions.StatusOf(before, r.Phase)
	_, err = Path(r.Phase, from, r.Status)
	isUpdated := conditions.StatusOf(before, phases.Updated) == metav1.ConditionTrue // no update is running
	next = slices.Clone(before)
	switch {
	case r.Phase == phases.Updated && err != nil:
		return nil, true, err
	case StartsUpdate(before, r, update):
		next, done = start(before, r, update)
		return next, done, nil
	case r.Phase == phases.Updated && r.Status == metav1.ConditionTrue && !isUpdated:
		return end(before, r, update), true, nil
	case r.Phase == phases.Updated && r.Status == metav1.ConditionFalse && isUpdated:
		return next, true, nil // the update has already ended: see Update.Ended
	case r.Phase == phases.Updated:
		set(next, r.Phase, r.Status, r.Reason, r.Message)
		if r.Status == metav1.ConditionFalse && !r.NotRequired && !HasStarted(before, phases.UpdatePrepared) { // the second write of a start
			prepare(next, r)
		}
		return next, true, nil
	case phasetable.IsStep(r.Phase) && isUpdated: // no status changes
		known := conditions.Find(before, r.Phase).Message
		switch {
		case conditions.HasUpdatePrefix(known) && conditions.TrimUpdatePrefix(known) == r.Message:
			r.Message = known // a repeat; the name of the update may be its image or its config
		case r.Status != metav1.ConditionFalse:
			r.Message = withPrefix(r.Message, update.Name)
		}
		set(next, r.Phase, from, r.Reason, r.Message)
		return next, true, nil
	case err != nil:
		return nil, true, err
	}
	if child := unknownChild(before, r.Phase, ""); child != "" && r.Status == metav1.ConditionTrue {
		return nil, true, &phases.TransitionError{Phase: r.Phase, From: from, To: r.Status, Child: child}
	}
	next, done = changePhase(before, r)
	return next, done, nil
}

// start returns the next list that starts an update: all steps are False, but for the first step:
// UpdatePrepared, or the step that was reported. If one write cannot do this, the first write only
// resets the steps.
func start(before []metav1.Condition, r Report, update Update) (next []metav1.Condition, done bool) {
	next = reset(before, update.Name)
	if r.Phase == phases.Updated {
		if conditions.StatusOf(before, phases.UpdatePrepared) == metav1.ConditionTrue {
			return next, false
		}
		set(next, phases.Updated, metav1.ConditionFalse, r.Reason, r.Message)
		prepare(next, r)
		return next, true
	}
	if !Equal(before, next) {
		return next, false
	}
	message := disruptionMessage // a report that replaces an update does not get here: its first write resets UpdatePrepared
	if NeverReported(before, phases.Updated) {
		message = unannouncedMessage
	}
	set(next, phases.Updated, metav1.ConditionFalse, string(phases.Updated), message)
	return changePhase(next, r)
}

// prepare sets UpdatePrepared to Unknown, the first step of an update that Updated=False starts.
func prepare(list []metav1.Condition, r Report) {
	set(list, phases.UpdatePrepared, metav1.ConditionUnknown, string(phases.UpdatePrepared), r.Message)
}

// end returns the list that ends an update: all steps and NodeDegraded are False, and Updated is True.
func end(before []metav1.Condition, r Report, update Update) []metav1.Condition {
	next := reset(before, update.Name)
	if degraded := conditions.Find(next, phases.NodeDegraded); degraded.Status == metav1.ConditionTrue {
		degraded.Status = metav1.ConditionFalse
		degraded.Message = withPrefix(degraded.Message, update.Name)
	}
	set(next, phases.Updated, metav1.ConditionTrue, r.Reason, r.Message)
	return next
}

// reset returns the list with every step set to False. The message of each step that was ever reported
// gets the prefix of the update. The message of a failure in this update gets it too.
func reset(before []metav1.Condition, name string) []metav1.Condition {
	next := slices.Clone(before)
	isUnderWay := IsUnderWay(before)
	for i := range next {
		c := &next[i]
		isStep := phasetable.IsStep(phases.Phase(c.Type))
		isFailure := c.Type == string(phases.NodeDegraded) && c.Status == metav1.ConditionTrue && isUnderWay
		if isStep && (c.Status != metav1.ConditionFalse || !conditions.IsReservedReason(c.Reason)) || isFailure {
			c.Message = withPrefix(c.Message, name)
		}
		if isStep {
			c.Status = metav1.ConditionFalse
		}
	}
	return next
}

// changePhase returns the next list in which the reported phase and its parent move to their new
// statuses. Both reach them in the last write, but for a parent that only starts.
//
// Why they end together: a watcher that sees AppliedFilesAndOS=True beside UpdateExecuted=Unknown takes the update for
// stuck if the daemon reboots between the two writes.
func changePhase(before []metav1.Condition, r Report) (next []metav1.Condition, done bool) {
	next = slices.Clone(before)
	own := conditions.Find(next, r.Phase)
	path, _ := Path(r.Phase, own.Status, r.Status)
	isNews := len(path) > 0 || own.Reason != r.Reason || own.Message != r.Message

	parent, parentPath, isLast := parentPath(before, r, len(path) > 0)
	left := max(len(path), len(parentPath), 1)
	if len(path) == left {
		set(next, r.Phase, path[0], r.Reason, r.Message)
	} else if left == 1 {
		set(next, r.Phase, own.Status, r.Reason, r.Message)
	}
	to := conditions.StatusOf(before, parent)
	moves := len(parentPath) > 0 && (!isLast || len(parentPath) == left)
	if moves {
		to = parentPath[0]
	}
	if moves || parent != "" && len(parentPath) == 0 && left == 1 && isNews {
		reason, message := parentText(before, r, parent, to)
		set(next, parent, to, reason, message)
	}
	return next, left == 1
}

// parentPath returns the parent of the reported phase, if the report changes it, and the statuses
// that the parent goes through. If isLast is set, the parent reaches its last status together with the
// phase.
func parentPath(before []metav1.Condition, r Report, isNewStatus bool) (parent phases.Phase, path []metav1.ConditionStatus, isLast bool) {
	parent, ok := phases.ParentOf(r.Phase)
	if !ok || r.isLate(conditions.Find(before, parent)) {
		return "", nil, false
	}
	from := conditions.StatusOf(before, parent)
	completes := r.CompletesParent && (r.Status == metav1.ConditionTrue || r.NotRequired) &&
		unknownChild(before, parent, r.Phase) == ""
	to := from
	switch {
	case completes:
		to = metav1.ConditionTrue
	case r.Status == metav1.ConditionUnknown && isNewStatus, from == metav1.ConditionFalse:
		to = metav1.ConditionUnknown
	}
	path, _ = Path(parent, from, to) // a step can always change to Unknown and True
	hasStarted := !r.NotRequired || r.Status != metav1.ConditionFalse
	showsText := hasStarted && (to == metav1.ConditionUnknown || completes)
	if len(path) == 0 && !showsText {
		return "", nil, false
	}
	return parent, path, completes || r.Status == metav1.ConditionUnknown
}

// isLate reports whether the parent of the reported phase turned True after the time of the report, and
// the report is Unknown. Such a report leaves the parent True.
func (r Report) isLate(parent *metav1.Condition) bool {
	return r.Status == metav1.ConditionUnknown && parent.Status == metav1.ConditionTrue &&
		r.Time.Unix() < parent.LastTransitionTime.Unix()
}

// parentText returns the new reason and message of the parent. If the phase turns True, but another child
// is Unknown, they are those of that child, because it may have failed, and its text then shows the cause.
func parentText(before []metav1.Condition, r Report, parent phases.Phase, to metav1.ConditionStatus) (reason, message string) {
	if r.Status == metav1.ConditionTrue && to == metav1.ConditionUnknown {
		child := phases.Phase(conditions.Find(before, parent).Reason) // the child that the parent shows
		of, _ := phases.ParentOf(child)
		if of != parent || child == r.Phase || conditions.StatusOf(before, child) != metav1.ConditionUnknown {
			child = unknownChild(before, parent, r.Phase)
		}
		if child != "" {
			return string(child), conditions.Find(before, child).Message
		}
	}
	return string(r.Phase), r.Message
}

// unknownChild returns the first Unknown child of a parent, except the ignored child, or "". A parent
// cannot turn True while a child is Unknown.
func unknownChild(list []metav1.Condition, parent, ignored phases.Phase) phases.Phase {
	for _, c := range list {
		child := phases.Phase(c.Type)
		of, ok := phases.ParentOf(child)
		if ok && of == parent && child != ignored && c.Status == metav1.ConditionUnknown {
			return child
		}
	}
	return ""
}

// withPrefix returns the message with the prefix of an update, and truncates it.
func withPrefix(message, update string) string {
	return truncate.To(conditions.WithUpdatePrefix(message, update), maxMessage)
}

func set(list []metav1.Condition, p phases.Phase, status metav1.ConditionStatus, reason, message string) {
	c := conditions.Find(list, p)
	c.Status, c.Reason, c.Message = status, reason, message
}
