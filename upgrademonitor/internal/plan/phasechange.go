package plan

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// PhaseChange reports the status of a phase.
type PhaseChange struct {
	conditions.Report
	Node Node

	// SkipIfRunning keeps the reason and message of an Unknown phase, because they may show an error.
	SkipIfRunning bool
	// SkipIfNeverUpdated ignores the report if the phase was never reported and no update ever ran.
	SkipIfNeverUpdated bool
	// SkipOtherMode ignores the report if the phase does not exist in the mode of the node.
	SkipOtherMode bool
}

var _ Change = PhaseChange{}

// String returns the name of the report in errors and logs.
func (c PhaseChange) String() string {
	if c.NotRequired {
		return "report " + string(c.Phase) + " not required"
	}
	return "report " + string(c.Phase) + "=" + string(c.Status)
}

// View returns the Node as it was when the report was accepted.
func (c PhaseChange) View() Node { return c.Node }

// Absorb takes the reason and messages of a newer report. Other fields except Time must be equal.
func (c PhaseChange) Absorb(newer Change) (Change, bool) {
	other, ok := newer.(PhaseChange)
	if !ok {
		return c, false
	}
	merged := c
	merged.Reason, merged.Message, merged.ParentMessage = other.Reason, other.Message, other.ParentMessage
	other.Time = c.Time
	return merged, merged == other
}

// Plan returns the writes of the report, each computed from the state after the previous write. If
// an update starts with two writes, a new plan after the first write still starts the update.
func (c PhaseChange) Plan(s State) (Writes, error) {
	imageMode := c.Node.Mode.IsImage(s.Status.Conditions)
	if c.SkipOtherMode && phases.KindOf(c.Phase) != "" && !phases.ExistsIn(c.Phase, imageMode) {
		return Writes{}, nil
	}
	if c.SkipIfNeverUpdated && s.neverRan(c.Phase) && !slices.ContainsFunc(phases.All(imageMode), s.ranInUpdate) {
		return Writes{}, nil
	}
	s = s.Pin()
	before := s.Status.Conditions
	cycle := c.cycle(s)
	request := c.request(s, cycle)
	lists, err := conditions.Next(before, imageMode, request, cycle)
	if err != nil {
		return Writes{}, err
	}
	between, target := s.isTrue(phases.Updated), s.targetOf(c.Node)
	ended := c.Phase == phases.Updated && request.Status == metav1.ConditionTrue && !c.NotRequired
	p := Writes{StartsUpdate: conditions.StartsUpdate(before, request, cycle)}
	p.SyncsSpec = p.StartsUpdate || ended && !between && c.Node.runsDesired()
	if len(lists) == 0 {
		lists = [][]metav1.Condition{before} // no condition changes, but the versions may change
	}
	for _, list := range lists {
		next := s.publish(list, c.Node, ended)
		switch {
		case next.isTrue(phases.Updated):
			next.Target = Target{}
		case p.StartsUpdate && (between || conditions.StatusOf(list, phases.UpdatePrepared) != metav1.ConditionFalse):
			next.Target = target
		}
		s = p.add(s, next)
	}
	return p, nil
}

// request returns the report after SkipIfRunning is applied.
func (c PhaseChange) request(s State, cycle conditions.Cycle) conditions.Report {
	request := c.Report
	known := conditions.Find(s.Status.Conditions, c.Phase)
	isRunning := known != nil && known.Status == metav1.ConditionUnknown && c.Status == known.Status
	if c.SkipIfRunning && isRunning && !conditions.StartsUpdate(s.Status.Conditions, c.Report, cycle) {
		request.Reason, request.Message, request.ParentMessage = known.Reason, known.Message, ""
	}
	return request
}

// cycle returns facts about the current update that the conditions do not show.
func (c PhaseChange) cycle(s State) conditions.Cycle {
	cycle := conditions.Cycle{Name: s.updateName(c.Node), NewTarget: s.hasNewTarget(c.Node)}
	if s.neverUpdated() {
		cycle.NewTarget = c.Phase == phases.Updated
	}
	if updated := conditions.Find(s.Status.Conditions, phases.Updated); updated != nil && updated.Status == metav1.ConditionTrue {
		cycle.Ended = c.Time.Unix() < updated.LastTransitionTime.Unix()
	}
	return cycle
}
