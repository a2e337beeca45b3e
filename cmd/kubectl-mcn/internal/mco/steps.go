package mco

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// StepState is the state of one step of an update.
type StepState string

const (
	// ToDo means that the step has not started.
	ToDo StepState = "ToDo"
	// Running means that the step is running, or that it failed and is being retried.
	Running StepState = "Running"
	// Finished means that the step has succeeded.
	Finished StepState = "Finished"
	// Failed means that the step failed and is not running.
	Failed StepState = "Failed"
	// Skipped means that the step did not run, because it was not required or because a later step
	// has started.
	Skipped StepState = "Skipped"
)

// Step is one step of an update: a phase that has no child phases. In package phases, the parents
// UpdateExecuted and UpdateComplete are steps, too.
type Step struct {
	Phase phases.Phase
	State StepState
	// End is the time when the step finished. It is zero if the step is not Finished.
	End time.Time
	// Duration is the time from the end of the previous step to End. For the first step, it is the
	// time from the start of the update to End. It is zero if the step is not Finished.
	Duration time.Duration
	// Message is the message of the condition if the step is Running, Finished or Failed.
	Message string

	changed time.Time // when its condition changed
}

// indexOf returns the index of a phase, or -1.
func indexOf(steps []Step, p phases.Phase) int {
	return slices.IndexFunc(steps, func(s Step) bool { return s.Phase == p })
}

// newSteps returns the steps of an update, all with the state ToDo. An update has RebootedNode or
// UpdatePostActionComplete, but not both.
func newSteps(list []metav1.Condition, without phases.Phase) []Step {
	var steps []Step
	for _, p := range phasetable.Leaves(transitions.InImageMode(list)) {
		if p != without {
			steps = append(steps, Step{Phase: p, State: ToDo})
		}
	}
	return steps
}

// inAnyOrder has the steps of image mode that run in any order. If one of these steps has started,
// the others are not Skipped.
var inAnyOrder = []phases.Phase{phases.AppliedFiles, phases.AppliedOSImage, phases.ImagePulledFromRegistry}

// currentSteps returns the steps of the current update. A step that did not run is Skipped if it
// was reported as not required, if its parent is True, or if a later step has started. A node that is not
// drained is not cordoned either. If neither a reboot nor a post action was reported, the node reboots, unless
// the message of UpdatePrepared matches withoutDrain.
func currentSteps(list []metav1.Condition) []Step {
	isReported := func(p phases.Phase) bool { return reportedSinceEnd(list, p) }
	isWithoutDrain := isReported(phases.UpdatePrepared) && withoutDrain.MatchString(messageOf(list, phases.UpdatePrepared))
	without := phases.UpdatePostActionComplete
	if (isWithoutDrain || isReported(phases.UpdatePostActionComplete)) && !isReported(phases.RebootedNode) {
		without = phases.RebootedNode
	}
	steps := newSteps(list, without)
	last := -1 // the index of the last step that has started
	for i := range steps {
		s := &steps[i]
		message := messageOf(list, s.Phase)
		status := conditions.StatusOf(list, s.Phase)
		switch {
		case status == metav1.ConditionTrue:
			s.State = Finished
			s.End = timeOf(list, s.Phase)
		case status == metav1.ConditionUnknown:
			s.State = Running
		case isReported(s.Phase) && isError(message):
			s.State = Failed
		default:
			continue
		}
		s.Message, s.changed = message, timeOf(list, s.Phase)
		last = i
	}
	for i := range steps {
		s := &steps[i]
		if s.State != ToDo {
			continue
		}
		parent, _ := phases.ParentOf(s.Phase)
		isParentDone := conditions.StatusOf(list, parent) == metav1.ConditionTrue
		isPassed := i < last && !areInAnyOrder(s.Phase, steps[last].Phase)
		isOfDrain := s.Phase == phases.Cordoned || s.Phase == phases.Drained
		if isPassed || isParentDone || isReported(s.Phase) || isOfDrain && (isWithoutDrain || isReported(phases.Drained)) {
			s.State = Skipped
		}
	}
	return steps
}

// isOver reports whether a step is over when another one has begun. A node is also uncordoned after a failure.
func isOver(p, current phases.Phase) bool {
	return p != current && current != phases.Uncordoned && !areInAnyOrder(p, current)
}

func areInAnyOrder(a, b phases.Phase) bool {
	return slices.Contains(inAnyOrder, a) && slices.Contains(inAnyOrder, b)
}

// measure sets the duration of each finished step. It returns the end of the last finished step, or
// the start of the update if no step has finished.
func measure(steps []Step, start time.Time) time.Time {
	var finished []*Step
	for i := range steps {
		if !steps[i].End.IsZero() {
			finished = append(finished, &steps[i])
		}
	}
	slices.SortStableFunc(finished, func(a, b *Step) int { return a.End.Compare(b.End) })
	last := start
	for _, s := range finished {
		if !last.IsZero() {
			s.Duration = max(0, s.End.Sub(last))
		}
		last = Latest(last, s.End)
	}
	return last
}

// reached returns the time when the node reached Step. In most cases it is last, the end of the last finished step. But if
// the step before was not reported, or if Step is running again in another attempt, the end of an older step says nothing:
// then it is the time when the condition of Step became Unknown.
func (n *Node) reached(list []metav1.Condition, last time.Time) time.Time {
	at := indexOf(n.Steps, n.Step)
	if at < 0 || n.Steps[at].State != Running {
		return last
	}
	// A Skipped step that has changed has ended without a report: see dropOver.
	isNotReported := at > 0 && n.Steps[at-1].State == Skipped && (!reportedSinceEnd(list, n.Steps[at-1].Phase) || !n.Steps[at-1].changed.IsZero())
	isRetry := slices.ContainsFunc(n.Steps[at+1:], func(s Step) bool {
		return !s.changed.IsZero() && !areInAnyOrder(s.Phase, n.Step)
	})
	// The controller goes on with a drain after the daemon has given up.
	hasFailed := last.Before(n.DegradedSince) && n.Step != phases.Drained
	began := timeOf(list, n.Step)
	if isNotReported || isRetry || hasFailed && began.After(n.DegradedSince) {
		return began
	}
	return last
}

// hasReached reports whether the update has reached a step.
func (n *Node) hasReached(p phases.Phase) bool {
	return n.Step == phases.Updated || len(n.Steps) > 0 && indexOf(n.Steps, n.Step) >= indexOf(n.Steps, p)
}

// stepOf returns the value of Node.Step. If several steps are running or have failed, it is the one that changed
// last: in another attempt, an earlier step may run again.
func stepOf(steps []Step) phases.Phase {
	var current *Step
	for i := range steps {
		s := &steps[i]
		if s.State != Running && s.State != Failed {
			continue
		}
		if current == nil || !s.changed.Before(current.changed) {
			current = s
		}
	}
	if current != nil {
		return current.Phase
	}
	if next := slices.IndexFunc(steps, func(s Step) bool { return s.State == ToDo }); next >= 0 {
		return steps[next].Phase
	}
	return phases.Updated
}

// dropOver resets the steps that are over, although their condition does not say so. A step that comes after the
// current step was running or has failed in an attempt before. A step that comes before it has ended without a report.
func dropOver(steps []Step, current phases.Phase) {
	at := indexOf(steps, current)
	for i := range steps {
		s := &steps[i]
		if !isOver(s.Phase, current) || s.State != Running && s.State != Failed {
			continue
		}
		s.State, s.Message = ToDo, ""
		if i < at {
			s.State = Skipped
		}
	}
}
