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

	// SkipIfRunning is for a report of Unknown. If the phase is already Unknown, it keeps its reason and
	// message, because they may show the error of an earlier attempt.
	SkipIfRunning bool
	// SkipIfNeverUpdated means that the report is ignored if the phase was never reported and no update
	// of the node was ever reported.
	SkipIfNeverUpdated bool
	// SkipOtherMode means that the report is ignored if the phase does not exist in the mode of the
	// node.
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

// View returns the Node that the report is based on.
func (c PhaseChange) View() Node { return c.Node }

// At returns a copy of the report with another Node.
func (c PhaseChange) At(n Node) Change {
	c.Node = n
	return c
}

// Accepted returns the time of the report.
func (c PhaseChange) Accepted() metav1.Time { return c.Time }

// Absorb returns this report with the reason and messages of a newer report. It returns false if
// any other field except Time differs.
func (c PhaseChange) Absorb(newer Change) (Change, bool) {
	merged, ok := c.Replace(newer)
	other, _ := newer.(PhaseChange)
	return merged, ok && other.Node == c.Node
}

// Replace is like Absorb, but the Nodes may differ.
func (c PhaseChange) Replace(newer Change) (Change, bool) {
	other, ok := newer.(PhaseChange)
	if !ok {
		return c, false
	}
	merged := c
	merged.Reason = other.Reason
	merged.Message = other.Message
	merged.ParentMessage = other.ParentMessage
	other.Time = c.Time
	other.Node = c.Node
	return merged, merged == other
}

// Plan returns the writes of the report. Each write is computed from the state after the previous
// write. If the start of an update needs two writes, call Plan again after the first write: it returns
// the second.
func (c PhaseChange) Plan(s State) (Writes, error) {
	imageMode := c.Node.Mode.IsImage(s.Status.Conditions)
	if c.isIgnored(s, imageMode) {
		return Writes{}, nil
	}
	s = s.Pin()
	before := s.Status.Conditions
	cycle := c.cycle(s)
	report := c.effectiveReport(s, cycle)
	lists, err := conditions.Next(before, imageMode, report, cycle)
	if err != nil {
		return Writes{}, err
	}
	isUpdated := s.isTrue(phases.Updated) // no update is running
	target := s.targetOf(c.Node)
	isEnd := c.Phase == phases.Updated && report.Status == metav1.ConditionTrue && !c.NotRequired
	endsUpdate := isEnd && !cycle.Ended // a report from before the end must not restore an older config
	w := Writes{StartsUpdate: conditions.StartsUpdate(before, report, cycle)}
	if w.StartsUpdate && c.Node.ConditionsOnly && cycle.NewTarget && c.Node.isToldToUpdate() {
		return Writes{}, ErrNotStarted
	}
	w.SyncsSpec = w.StartsUpdate || endsUpdate && !isUpdated && c.Node.runsDesired()
	if len(lists) == 0 {
		lists = [][]metav1.Condition{before} // no condition changes, but the configs and images may change
	}
	for _, list := range lists {
		next := s.withConditions(list, c.Node, endsUpdate)
		hasStarted := isUpdated || conditions.StatusOf(list, phases.UpdatePrepared) != metav1.ConditionFalse
		switch {
		case next.isTrue(phases.Updated):
			next.Target = Target{}
		case w.StartsUpdate && hasStarted:
			next.Target = target
		}
		s = w.add(s, next, c.Node)
	}
	return w, nil
}

// isIgnored reports whether SkipOtherMode or SkipIfNeverUpdated applies.
func (c PhaseChange) isIgnored(s State, imageMode bool) bool {
	if c.SkipOtherMode && phases.KindOf(c.Phase) != "" && !phases.ExistsIn(c.Phase, imageMode) {
		return true
	}
	return c.SkipIfNeverUpdated && s.neverRan(c.Phase) && !slices.ContainsFunc(phases.All(imageMode), s.ranInUpdate)
}

// effectiveReport returns the report after SkipIfRunning is applied.
func (c PhaseChange) effectiveReport(s State, cycle conditions.Cycle) conditions.Report {
	report := c.Report
	known := conditions.Find(s.Status.Conditions, c.Phase)
	isRunning := known != nil && known.Status == metav1.ConditionUnknown && c.Status == known.Status
	if c.SkipIfRunning && isRunning && !conditions.StartsUpdate(s.Status.Conditions, c.Report, cycle) {
		report.Reason = known.Reason
		report.Message = known.Message
	}
	return report
}

// cycle returns the facts about the current update that the conditions do not show.
func (c PhaseChange) cycle(s State) conditions.Cycle {
	cycle := conditions.Cycle{Name: s.updateName(c.Node), NewTarget: s.hasNewTarget(c.Node)}
	if s.neverUpdated() {
		cycle.NewTarget = c.Phase == phases.Updated
	}
	updated := conditions.Find(s.Status.Conditions, phases.Updated)
	if updated != nil && updated.Status == metav1.ConditionTrue {
		cycle.Ended = c.Time.Unix() < updated.LastTransitionTime.Unix()
	}
	return cycle
}
