package plan

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// Report is the change that a phase has a status.
type Report struct {
	conditions.Report
	Node Node

	// NotRequired makes the status False if the phase has not started, and True if it has.
	NotRequired bool
	// SkipOtherMode makes a report of a phase of the other mode a report of nothing.
	SkipOtherMode bool
}

var _ Change = Report{}

// String names the report in errors and logs.
func (r Report) String() string {
	if r.NotRequired {
		return "report " + string(r.Phase) + " not required"
	}
	return "report " + string(r.Phase) + "=" + string(r.Status)
}

// View is the view of the Node at the time of the report.
func (r Report) View() Node { return r.Node }

// Absorb takes over the texts of a report that differs in nothing else; the time stays.
func (r Report) Absorb(newer Change) (Change, bool) {
	other, ok := newer.(Report)
	if !ok {
		return r, false
	}
	merged := r
	merged.Reason, merged.Message, merged.ParentMessage = other.Reason, other.Message, other.ParentMessage
	other.Time = r.Time
	return merged, merged == other
}

// Plan returns the writes of the report, each computed from the one before. A report that begins
// an update with two writes resets the phases first and changes nothing else, so that it begins
// the same update when it is planned again in between.
func (r Report) Plan(s State) (Plan, error) {
	imageMode := r.Node.Mode.isImage(s.Status.Conditions)
	if r.SkipOtherMode && phases.KindOf(r.Phase) != "" && !phases.ExistsIn(r.Phase, imageMode) {
		return Plan{}, nil
	}
	s = s.Pin()
	before := s.Status.Conditions
	request, update := r.request(s), r.update(s)
	lists, err := conditions.Next(before, imageMode, request, update)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Begins: conditions.Begins(before, request, update)}
	if len(lists) == 0 {
		lists = [][]metav1.Condition{before} // the versions may have changed
	}
	between, target := s.isTrue(phases.Updated), s.targetOf(r.Node)
	ended := r.Phase == phases.Updated && request.Status == metav1.ConditionTrue
	for _, list := range lists {
		next := s.publish(list, r.Node, ended)
		switch {
		case next.isTrue(phases.Updated):
			next.Update = Target{}
		case p.Begins && (between || conditions.StatusOf(list, phases.UpdatePrepared) != metav1.ConditionFalse):
			next.Update = target
		}
		p.add(s, next)
		s = next
	}
	return p, nil
}

// request returns the report with the status that it asks for on this object.
func (r Report) request(s State) conditions.Report {
	request := r.Report
	if r.NotRequired {
		request.Status = metav1.ConditionTrue
		if conditions.StatusOf(s.Status.Conditions, r.Phase) == metav1.ConditionFalse {
			request.Status = metav1.ConditionFalse
		}
	}
	return request
}

// update returns what the report means for the update under way.
func (r Report) update(s State) conditions.Update {
	u := conditions.Update{Name: s.updateName(r.Node), NewTarget: s.hasNewTarget(r.Node)}
	if s.neverUpdated() {
		u.NewTarget = r.Phase == phases.Updated
	}
	if r.NotRequired { // a step that is not needed starts no update
		u.NewTarget, u.Ended = false, true
		return u
	}
	if c := conditions.Find(s.Status.Conditions, phases.Updated); c != nil && c.Status == metav1.ConditionTrue {
		u.Ended = r.Time.Unix() < c.LastTransitionTime.Unix()
	}
	return u
}
