package planner

import (
	"errors"
	"slices"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// ErrNoUpdate rejects a report of a controller, because only the daemon of a node starts an update.
var ErrNoUpdate = errors.New("no update of the node is under way, and only its daemon starts one: report the step after the daemon has reported Updated=False")

// Change is a report of a phase or of image sets. If Phase is "" and Sets is nil, it only copies the
// configs and images of the Node to the status.
type Change struct {
	transitions.Report
	Sets *ImageSets
	// WritesSpec means that the spec and the owner references must match the Node.
	WritesSpec bool
	Node       Node
	// Order has what the daemon prepares, if the change is a report of UpdatePrepared: see Core.order. It is zero if
	// the daemon prepares what the Node desires.
	Order Versions

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

// String returns the name of the change in errors and logs.
func (c Change) String() string {
	switch {
	case c.Sets != nil:
		return "report of pinned image sets"
	case c.Phase == "":
		return "config and image of the Node"
	case c.NotRequired:
		return "report " + string(c.Phase) + " not required"
	default:
		return "report " + string(c.Phase) + "=" + string(c.Status)
	}
}

// merge returns this change with the texts (or the image sets, or the Node) of a newer change. It returns false if
// the changes differ in anything else but the time.
func (c Change) merge(newer Change) (Change, bool) {
	newer.Time = c.Time
	merged := c
	merged.Reason, merged.Message = newer.Reason, newer.Message
	switch {
	case c.Sets != nil && newer.Sets != nil:
		merged.Sets = newer.Sets
	case c.Phase == "":
		merged.Node = newer.Node
	}
	return merged, merged == newer
}

// Write is the next write of a change.
type Write struct {
	Next State
	Done bool // no write follows
	// WritesSpec is set if the spec must be written before the status, so that spec, status and Node
	// agree: the change takes up the spec, or it ends an update and the Node runs its desired config, or
	// Change.WritesSpec is set. It is also set at the end of an update that had taken up the spec and has not
	// installed it. Otherwise observedGeneration would tell clients that the update is done.
	WritesSpec bool

	// takesUp is set if the daemon has taken up what the spec desires: Updated=False or UpdatePrepared starts the update or,
	// until UpdatePrepared is True, repeats the start. Any other step starts an update to nothing but what the Node runs.
	takesUp bool
}

// Plan returns the next write of a change to an object in this state. If the object already has the
// requested state, Next equals the state. The error says that the change is not allowed.
//
//  1. A report that is ignored still copies the configs and images of the Node, if the Node is
//     provisioned.
//  2. For a controller, only conditions change.
func (c Change) Plan(s State, isController bool) (Write, error) {
	c.Node = c.Node.withModeOf(s).withOrder(c.Order)
	if c.isIgnored(s) {
		if isController || !c.Node.Provisioned {
			return Write{Next: s, Done: true}, nil
		}
		c = Change{Node: c.Node, Report: transitions.Report{Time: c.Time}}
	}
	var w Write
	var err error
	switch {
	case c.Sets != nil:
		w = c.planSets(s)
	case c.Phase == "":
		w = c.planNode(s)
	default:
		w, err = c.planPhase(s, isController)
	}
	switch {
	case err != nil:
		return Write{}, err
	case isController:
		s.Status.Conditions = w.Next.Status.Conditions
		return Write{Next: s, Done: w.Done}, nil
	}
	isTakenUp := w.takesUp && !w.Next.isTrue(phases.Updated) && s.Spec == s.WithSpecOf(c.Node).Spec
	w.Next = w.Next.withObservedGeneration(c.Node, isTakenUp)
	return w, nil
}

// isIgnored reports whether SkipOtherMode or SkipIfNeverUpdated applies.
func (c Change) isIgnored(s State) bool {
	reportedInUpdate := func(p phases.Phase) bool { return phasetable.RunsOnlyInUpdate(p) && !s.neverReported(p) }
	return c.SkipOtherMode && !c.existsIn(c.Node.Mode) ||
		c.SkipIfNeverUpdated && s.neverReported(c.Phase) && !slices.ContainsFunc(phases.All(c.Node.Mode == Image), reportedInUpdate)
}

// existsIn reports whether the phase of the change exists in a mode.
func (c Change) existsIn(mode Mode) bool {
	return c.Phase == "" || c.Sets != nil || phasetable.ExistsIn(c.Phase, mode == Image)
}

// planNode copies the configs and images of the Node. It adds the conditions to an object without a status.
func (c Change) planNode(s State) Write {
	next := s
	if len(s.Status.Conditions) == 0 {
		next.Status.Conditions = transitions.Complete(nil, c.Node.Mode == Image, c.Time)
	}
	return Write{Next: next.withVersions(c.Node, false, s.isTrue(phases.Updated)), Done: true, WritesSpec: c.WritesSpec}
}

// planPhase returns the next write of a report of a phase.
func (c Change) planPhase(s State, isController bool) (Write, error) {
	before := s.Status.Conditions
	update := c.update(s, isController)
	starts := transitions.StartsUpdate(before, c.Report, update)
	if isController && (starts || phasetable.RunsOnlyInUpdate(c.Phase) && !s.isUnderWay()) {
		return Write{}, ErrNoUpdate
	}
	report := c.Report
	if known := conditions.Find(before, c.Phase); c.SkipIfRunning && known != nil && known.Status == c.Status {
		report.Reason, report.Message = known.Reason, known.Message
	}
	list, done, err := transitions.Next(before, c.Node.Mode == Image, report, update)
	if err != nil {
		return Write{}, err
	}
	next := s
	if list != nil {
		next.Status.Conditions = list
	}
	// A report from before the end must not restore an older config. The first of two writes that start an update
	// leaves Updated True, and ends nothing.
	ended := next.isTrue(phases.Updated) && !update.Ended && !starts
	prepared := !s.isTrue(phases.UpdatePrepared) && next.isTrue(phases.UpdatePrepared)
	next = next.withVersions(c.Node, prepared, ended)
	isPrepared := s.isTrue(phases.UpdatePrepared) && next.isTrue(phases.UpdatePrepared) // the update keeps its target
	takesUp := starts || c.isFirst() && !isPrepared && next.isUnderWay()
	w := Write{Next: next, Done: done, takesUp: takesUp && (c.isFirst() || s.runsSpec(c.Node))}
	w.WritesSpec = takesUp || ended && !s.isTrue(phases.Updated) && (c.Node.runsDesired() || s.overstates(c.Node))
	return w, nil
}

// isFirst reports whether the change is a report with which a daemon takes up an order: Updated=False or UpdatePrepared.
func (c Change) isFirst() bool {
	return !c.NotRequired && (c.Phase == phases.UpdatePrepared || c.Phase == phases.Updated)
}

// update returns the facts about the current update that the conditions do not show. For a controller, the
// Node never desires another target, because a controller starts no update.
func (c Change) update(s State, isController bool) transitions.Update {
	update := transitions.Update{Name: s.updateName(c.Node), NewTarget: !isController && s.hasNewTarget(c.Node)}
	if s.isTrue(phases.Updated) {
		update.Ended = c.Time.Unix() < conditions.Find(s.Status.Conditions, phases.Updated).LastTransitionTime.Unix()
	}
	return update
}
