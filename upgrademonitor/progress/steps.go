package progress

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// The phases of an update without child phases, in each mode.
var (
	standardLeaves = leaves(false)
	imageLeaves    = leaves(true)
)

func leaves(imageMode bool) []phases.Phase {
	all := phases.All(imageMode)
	return slices.DeleteFunc(slices.Clone(all), func(p phases.Phase) bool {
		isParent := slices.ContainsFunc(all, func(child phases.Phase) bool {
			parent, ok := phases.ParentOf(child)
			return ok && parent == p
		})
		return isParent || !phases.IsUpdateStep(p)
	})
}

// newSteps returns the steps of an object's update, none of which has started. They include the
// reboot or, if it ran instead, the post action.
func newSteps(list []metav1.Condition, ran func(phases.Phase) bool) []Step {
	leaves := standardLeaves
	if inImageMode(list) {
		leaves = imageLeaves
	}
	without := phases.UpdatePostActionComplete
	if ran(phases.UpdatePostActionComplete) && !ran(phases.RebootedNode) {
		without = phases.RebootedNode
	}
	steps := make([]Step, 0, len(leaves)-1)
	for _, p := range leaves {
		if p != without {
			steps = append(steps, Step{Phase: p, State: ToDo})
		}
	}
	return steps
}

// inImageMode reports whether the conditions are those of image mode. If an object has conditions of
// both modes, those that ran decide. ImagePulledFromRegistry does not: some daemons add it in
// standard mode, too.
func inImageMode(list []metav1.Condition) bool {
	var hasImage, ranImage, ranStandard bool
	for i := range list {
		switch p := phases.Phase(list[i].Type); p {
		case phases.AppliedFiles, phases.AppliedOSImage:
			hasImage = true
			ranImage = ranImage || ran(list, p)
		case phases.AppliedFilesAndOS:
			ranStandard = ranStandard || ran(list, p)
		}
	}
	if ranImage != ranStandard {
		return ranImage
	}
	return hasImage
}

// pendingSteps returns the steps of an update that has not begun.
func pendingSteps(list []metav1.Condition) []Step {
	return newSteps(list, func(phases.Phase) bool { return false })
}

// currentSteps returns the steps of the active update.
func currentSteps(list []metav1.Condition) []Step {
	steps := newSteps(list, func(p phases.Phase) bool { return ran(list, p) })
	passed := false
	for i := range slices.Backward(steps) {
		s := &steps[i]
		switch conditions.StatusOf(list, s.Phase) {
		case metav1.ConditionTrue:
			s.State, s.End, passed = Finished, timeOf(list, s.Phase), true
			s.Message = messageOf(list, s.Phase)
		case metav1.ConditionUnknown:
			s.State, passed = Running, true
			s.Message = messageOf(list, s.Phase)
		default:
			if passed || ran(list, s.Phase) {
				s.State = Skipped
			}
		}
	}
	return steps
}

// measure sets the duration of each finished step, and returns when the last one finished, or the
// begin if none has.
func measure(steps []Step, begun time.Time) time.Time {
	last := begun
	for _, s := range finished(steps) {
		if !last.IsZero() {
			s.Duration = since(last, s.End)
		}
		last = later(last, s.End)
	}
	return last
}

// finished returns the steps that have an end, in the order of their ends.
func finished(steps []Step) []*Step {
	var all []*Step
	for i := range steps {
		if !steps[i].End.IsZero() {
			all = append(all, &steps[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *Step) int { return a.End.Compare(b.End) })
	return all
}

// stepOf returns the last running step, else the next one.
func stepOf(steps []Step) phases.Phase {
	for _, s := range slices.Backward(steps) {
		if s.State == Running {
			return s.Phase
		}
	}
	for _, s := range steps {
		if s.State == ToDo {
			return s.Phase
		}
	}
	return phases.Updated
}
