package plan

import (
	"cmp"
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// Report is the intent that a phase has a status.
type Report struct {
	// Report is what the caller asked for. The fields that depend on the object (Update,
	// NewTarget, Began, Expired) are filled in by Plan.
	conditions.Report
	Node      Node
	ImageMode bool
}

// String names the intent in errors and logs.
func (r Report) String() string {
	return "report " + string(r.Phase) + "=" + string(r.Status)
}

// Observed is the view of the Node at the time of the report.
func (r Report) Observed() Node { return r.Node }

// Key has the coalesce key of the parent for a child.
func (r Report) Key() Key {
	top := r.Phase
	if parent, ok := phases.ParentOf(r.Phase); ok {
		top = parent
	}
	return Key{
		CoalesceKey: string(top),
		Request:     fmt.Sprintf("%s=%s %t %t %t %v", r.Phase, r.Status, r.CompletesParent, r.ParentMessage != "", r.ImageMode, r.Node),
	}
}

// Plan returns the writes of the report, each computed from the one before.
//
//  1. There are none for a report that changes nothing.
//  2. A report that begins an update has the spec follow the node first. So does a repeat of
//     Updated=False whose begin could not write it.
//  3. Whether it begins an update is decided once, in the memo: neither an object that its own
//     first write has changed, nor one that others have, makes it begin another, or none.
//  4. A refusal is the error of conditions.Next, or a *TooManyConditionsError.
func (r Report) Plan(s State, memo Memo) (Plan, error) {
	if s.IsTrue(phases.Updated) {
		s.Update = Update{} // whoever has ended it
	}
	request, memo := r.decide(s, memo)
	p := Plan{Final: s, Memo: memo}
	if request.Expired && r.asksForUpdated(metav1.ConditionFalse) && !request.NewTarget {
		return p, nil // it repeated the begin of an update that is over
	}
	before := s.Object.Status.Conditions
	lists, err := conditions.Next(before, r.ImageMode, request)
	if err != nil {
		return Plan{}, err
	}
	if lists, err = fitAll(s, lists, p.Memo.maxMessages()); err != nil {
		return Plan{}, err
	}
	if len(lists) == 0 && !r.versionsCurrent(s, before) {
		lists = [][]metav1.Condition{conditions.Complete(before, r.ImageMode, r.Time)}
	}
	p.Final.Update = r.nextUpdate(s, before, &p.Memo)
	if r.asksForUpdated(metav1.ConditionFalse) && s.Update.SpecPending || beginsUpdate(lists, s, request) {
		s.Update.SpecPending, p.Final.Update.SpecPending = false, false
		object := *s.Object
		object.Spec = r.Node.desiredSpec(s.Object.Spec, r.ImageMode && !s.NoImageField)
		if len(lists) == 0 {
			s.Update = p.Final.Update // which no status has after it
		}
		s = p.addSpec(s, &object)
	}
	for _, list := range lists {
		next := s.WithStatus(r.withVersions(s, list))
		next.Object.Status.Conditions = list
		next.Update = r.nextUpdate(s, list, &p.Memo)
		s = p.addStatus(s, next)
	}
	return p, nil
}

// beginsUpdate reports whether the lists begin an update: announced, for another target, or by a
// disruption.
func beginsUpdate(lists [][]metav1.Condition, s State, request conditions.Report) bool {
	if len(lists) == 0 {
		return request.NewTarget
	}
	updated := conditions.StatusOf(lists[len(lists)-1], phases.Updated)
	return request.NewTarget || s.IsTrue(phases.Updated) && updated == metav1.ConditionFalse
}

// decide fills in what the report means on this object.
func (r Report) decide(s State, memo Memo) (conditions.Report, Memo) {
	request := r.Report
	imageMode := r.ImageMode && !s.NoImageField
	changed := s.currentUpdate().targetChanged(r.Node, imageMode)
	between := s.IsTrue(phases.Updated)
	// An update that the memo has begun is unfinished, unless this process remembers it.
	unfinished := memo.Began && r.Node.DesiredConfig != "" && s.Update.Target != r.Node.target()

	request.Update = s.updateName(r.Node, imageMode)
	request.Expired = between && memo.InUpdate && !memo.Began && !r.reportedAfter(s)
	switch {
	case r.asksForUpdated(metav1.ConditionFalse):
		request.NewTarget = changed || unfinished || s.neverUpdated() && s.Update == (Update{})
		memo.Began = memo.Began || request.NewTarget || between && !request.Expired
	case r.Phase == phases.UpdatePrepared && r.Status != metav1.ConditionFalse && !between && !memo.Disrupted && !s.neverUpdated():
		request.NewTarget = !memo.Continued && (changed || unfinished)
		memo.Began = memo.Began || request.NewTarget
		memo.Continued = !memo.Began
	}
	if request.Began = memo.Began; memo.Began {
		memo.Previous = cmp.Or(memo.Previous, request.Update)
		request.Update = memo.Previous
	}
	return request, memo
}

// reportedAfter reports whether Updated was True already when the report was accepted: what was
// known then was outdated, and the report belongs to no update that has ended since.
func (r Report) reportedAfter(s State) bool {
	c := conditions.Find(s.Object.Status.Conditions, phases.Updated)
	return c != nil && c.LastTransitionTime.Unix() < r.Time.Unix()
}

func (r Report) asksForUpdated(status metav1.ConditionStatus) bool {
	return r.Phase == phases.Updated && r.Status == status
}

// withVersions returns the status with the versions that a write of the list makes of it.
func (r Report) withVersions(s State, list []metav1.Condition) mcfgv1.MachineConfigNodeStatus {
	status := s.Object.Status
	prepared := !s.IsTrue(phases.UpdatePrepared) && conditions.StatusOf(list, phases.UpdatePrepared) == metav1.ConditionTrue
	ended := r.asksForUpdated(metav1.ConditionTrue)
	r.Node.updateVersions(&status, r.ImageMode && !s.NoImageField, prepared || ended, ended)
	return status
}

// versionsCurrent reports whether the versions in the status are those of the node.
func (r Report) versionsCurrent(s State, list []metav1.Condition) bool {
	before, after := s.Object.Status, r.withVersions(s, list)
	return before.ConfigVersion != nil && *before.ConfigVersion == *after.ConfigVersion && before.ConfigImage == after.ConfigImage
}

// nextUpdate is the update under way, as far as this process knows, after a write of the list.
func (r Report) nextUpdate(s State, list []metav1.Condition, memo *Memo) Update {
	between := conditions.StatusOf(list, phases.Updated) == metav1.ConditionTrue
	memo.Disrupted = memo.Disrupted || s.IsTrue(phases.Updated) && !between && phases.OfCycle(r.Phase)
	disrupted := memo.Disrupted && s.Update == (Update{})
	begins := (r.Phase == phases.Updated || memo.Began) && s.Update.Target != r.Node.target()
	switch {
	case between:
		return Update{}
	case (disrupted || begins) && r.Node.DesiredConfig != "":
		return Update{Target: r.Node.target(), FromImage: cmp.Or(r.Node.CurrentImage, string(s.Object.Status.ConfigImage.CurrentImage))}
	default:
		return s.Update
	}
}
