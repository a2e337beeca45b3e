package machine

import (
	"errors"
	"slices"

	"github.com/openshift/upgrademonitor/conditions"
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
	// SyncsSpec means that the spec and the owner references must match the Node.
	SyncsSpec bool
	Node      Node

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

// Step is the next write of a change.
type Step struct {
	Next State
	Done bool // no write follows
	// SyncsSpec is set if the spec must be written before the status, so that spec, status and Node
	// agree: the change starts an update or, before UpdatePrepared is True, repeats the start, or it ends an
	// update and the Node runs its desired config, or Change.SyncsSpec is set.
	SyncsSpec bool
}

// Plan returns the next write of a change to an object in this state. If the object already has the
// requested state, Next equals the state. A report that is ignored still copies the configs and images of
// the Node, except in a controller, or if the Node is not provisioned. The error says that the change is not
// allowed.
func (c Change) Plan(s State) (Step, error) {
	if c.isIgnored(s, s.isImageMode(c.Node)) {
		if c.Node.ConditionsOnly || !c.Node.Provisioned {
			return Step{Next: s, Done: true}, nil
		}
		c = Change{Node: c.Node, Report: transitions.Report{Time: c.Time}}
	}
	step, err := c.plan(s)
	if err == nil && !c.Node.ConditionsOnly {
		takesUp := step.SyncsSpec && c.Phase != "" && !step.Next.isTrue(phases.Updated) && s.Spec == s.Sync(c.Node).Spec
		step.Next = step.Next.withObservedGeneration(takesUp)
	}
	return step, err
}

func (c Change) plan(s State) (Step, error) {
	imageMode := s.isImageMode(c.Node)
	switch {
	case c.Sets != nil:
		return c.planSets(s, imageMode), nil
	case c.Phase == "":
		next := s
		if len(s.Status.Conditions) == 0 {
			next.Status.Conditions = conditions.Complete(nil, imageMode, c.Time)
		}
		return Step{Next: next.withVersions(c.Node, false, s.isTrue(phases.Updated)), Done: true, SyncsSpec: c.SyncsSpec}, nil
	}
	before := s.Status.Conditions
	update := c.update(s)
	starts := transitions.StartsUpdate(before, c.Report, update)
	if c.Node.ConditionsOnly && (starts || transitions.RunsOnlyInUpdate(c.Phase) && !s.isUnderWay()) {
		return Step{}, ErrNoUpdate
	}
	report := c.Report
	if known := conditions.Find(before, c.Phase); c.SkipIfRunning && known != nil && known.Status == c.Status {
		report.Reason, report.Message = known.Reason, known.Message
	}
	list, done, err := transitions.Next(before, imageMode, report, update)
	if err != nil {
		return Step{}, err
	}
	step := Step{Next: s, Done: done}
	if list != nil {
		step.Next.Status.Conditions = list
	}
	ended := step.Next.isTrue(phases.Updated) && !update.Ended // a report from before the end must not restore an older config
	prepared := !s.isTrue(phases.UpdatePrepared) && step.Next.isTrue(phases.UpdatePrepared)
	step.Next = step.Next.withVersions(c.Node, prepared, ended)
	ends := ended && !s.isTrue(phases.Updated) && c.Node.runsDesired()
	step.SyncsSpec = starts || ends || c.prepares(s) && step.Next.isUnderWay()
	return step, nil
}

// prepares reports whether the change is a report of Updated=False or UpdatePrepared before UpdatePrepared is
// True. Until then the daemon may still take up another order.
func (c Change) prepares(s State) bool {
	isFirst := c.Phase == phases.Updated || c.Phase == phases.UpdatePrepared
	return isFirst && !c.NotRequired && !s.isTrue(phases.UpdatePrepared)
}

// existsIn reports whether the phase of the change exists in a mode.
func (c Change) existsIn(imageMode bool) bool {
	return c.Phase == "" || c.Sets != nil || transitions.ExistsIn(c.Phase, imageMode)
}

// isIgnored reports whether SkipOtherMode or SkipIfNeverUpdated applies.
func (c Change) isIgnored(s State, imageMode bool) bool {
	ranInUpdate := func(p phases.Phase) bool { return transitions.RunsOnlyInUpdate(p) && !s.neverRan(p) }
	return c.SkipOtherMode && !c.existsIn(imageMode) ||
		c.SkipIfNeverUpdated && s.neverRan(c.Phase) && !slices.ContainsFunc(phases.All(imageMode), ranInUpdate)
}

// update returns the facts about the current update that the conditions do not show.
func (c Change) update(s State) transitions.Update {
	update := transitions.Update{Name: s.updateName(c.Node), NewTarget: !c.Node.ConditionsOnly && s.hasNewTarget(c.Node)}
	if s.isTrue(phases.Updated) {
		update.Ended = c.Time.Unix() < conditions.Find(s.Status.Conditions, phases.Updated).LastTransitionTime.Unix()
	}
	return update
}
