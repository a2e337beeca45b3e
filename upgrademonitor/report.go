package upgrademonitor

import (
	"cmp"
	"context"
	"regexp"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// What the CRD takes as conditions, and as the reason of one.
const (
	maxReason     = 1024
	maxConditions = 20
	reasonPattern = `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
)

var reasonRegexp = regexp.MustCompile(reasonPattern)

// ReportOption adds to a report.
type ReportOption func(*report)

// CompletesParent says that the phase's parent is done when the phase is: both turn True
// in one write. It goes with status True, on a phase that has a parent.
func CompletesParent() ReportOption {
	return func(r *report) { r.CompletesParent = true }
}

// ParentMessage is what the phase's parent says, where that is not what the phase itself
// says. It goes with a phase that has a parent, and is said when something changes: a
// report that repeats what its phase shows makes no write for the parent's text alone.
func ParentMessage(message string) ReportOption {
	return func(r *report) { r.ParentMessage = conditions.Cut(message) }
}

// report is one accepted report, with what the node said when it was accepted.
type report struct {
	conditions.Report
	nodeName  string
	versions  versions
	imageMode bool
	within    bool // see within
	disrupts  bool // it began an update by itself, in a write that may have had no answer
}

// validate refuses what could never be written.
func (r *report) validate() error {
	if err := phases.Check(r.Phase, r.Status, r.imageMode); err != nil {
		return err
	}
	switch {
	case len(r.Reason) > maxReason || !reasonRegexp.MatchString(r.Reason):
		return &ReasonError{Reason: r.Reason}
	case r.CompletesParent && r.Status != metav1.ConditionTrue:
		return &OptionError{Problem: "CompletesParent goes with status True only: a phase that is not done completes nothing"}
	}
	if _, ok := phases.ParentOf(r.Phase); !ok && (r.CompletesParent || r.ParentMessage != "") {
		return &OptionError{Problem: "CompletesParent and ParentMessage go with a Child phase only: this one has no parent"}
	}
	return nil
}

func (r *report) String() string {
	return "report " + string(r.Phase) + "=" + string(r.Status)
}

func (r *report) observed() versions { return r.versions }

// plan returns the writes of the status that the report makes, each built on the one
// before. It gives none for a report that changes nothing. A report that was once planned
// to begin an update stays one, whatever became of the object meanwhile.
func (r *report) plan(s state) (plan, error) {
	said := r.Report
	said.NewTarget = s.underway().differs(r.versions, r.imageMode && !s.noImages)
	said.Update = s.updateName(r.versions, r.imageMode)
	said.Late = r.within && s.isTrue(phases.Updated)

	before := s.object.Status
	lists, err := conditions.Next(before.Conditions, r.imageMode, said)
	if err != nil {
		return plan{}, err
	}
	if len(lists) == 0 && !r.following(s, before.Conditions) {
		lists = [][]metav1.Condition{conditions.Complete(before.Conditions, r.imageMode, r.Time)}
	}
	if err := roomFor(lists, before.Conditions); err != nil {
		return plan{}, err
	}
	if r.asksFor(phases.Updated, metav1.ConditionFalse) && (said.NewTarget || s.isTrue(phases.Updated)) {
		r.Begun = true
	}

	p := plan{from: s, begun: r.begun(s, before.Conditions)}
	for _, list := range lists {
		status := r.followed(s, list)
		status.Conditions = list
		p.begun = r.begun(s, list)
		from := s
		s = s.withStatus(status)
		s.begun = p.begun
		p.writes = append(p.writes, writeStatus(from, s))
	}
	return p, nil
}

// roomFor refuses lists that the CRD would reject together with the foreign conditions.
func roomFor(lists [][]metav1.Condition, before []metav1.Condition) error {
	foreign := 0
	for _, c := range before {
		if !isOurs(c) {
			foreign++
		}
	}
	if len(lists) > 0 && foreign+len(lists[0]) > maxConditions {
		return &RoomError{Foreign: foreign, Own: len(lists[0])}
	}
	return nil
}

func (r *report) asksFor(p phases.Phase, status metav1.ConditionStatus) bool {
	return r.Phase == p && r.Status == status
}

// followed returns the status with the versions that a write of the list makes of it.
func (r *report) followed(s state, list []metav1.Condition) mcfgv1.MachineConfigNodeStatus {
	status := s.object.Status
	prepared := !s.isTrue(phases.UpdatePrepared) && conditions.StatusOf(list, phases.UpdatePrepared) == metav1.ConditionTrue
	ended := r.asksFor(phases.Updated, metav1.ConditionTrue)
	r.versions.follow(&status, r.imageMode && !s.noImages, prepared || ended, ended)
	return status
}

// following reports whether the status says what the node says, as far as it is to follow.
func (r *report) following(s state, list []metav1.Condition) bool {
	before, after := s.object.Status, r.followed(s, list)
	return before.ConfigVersion != nil && *before.ConfigVersion == *after.ConfigVersion && before.ConfigImage == after.ConfigImage
}

// begun returns the update under way, as far as this Monitor knows, after a write of the list.
func (r *report) begun(s state, list []metav1.Condition) update {
	between := conditions.StatusOf(list, phases.Updated) == metav1.ConditionTrue
	r.disrupts = r.disrupts || s.isTrue(phases.Updated) && !between && phases.OfCycle(r.Phase)
	disrupted := r.disrupts && s.begun == (update{})
	begins := r.Phase == phases.Updated && (s.begun.to != r.versions.target())
	switch {
	case between:
		return update{}
	case (disrupted || begins) && r.versions.desiredConfig != "":
		return update{to: r.versions.target(), fromImage: cmp.Or(r.versions.currentImage, string(s.object.Status.ConfigImage.CurrentImage))}
	default:
		return s.begun
	}
}

// newReport reads the node, and makes a report of what is said now.
func (m *Monitor) newReport(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...ReportOption) (*report, error) {
	r := &report{
		Report: conditions.Report{
			Phase:   phase,
			Status:  status,
			Reason:  reason,
			Message: conditions.Cut(message),
			Time:    metav1.NewTime(m.config.Clock.Now()),
		},
		nodeName:  m.config.NodeName,
		imageMode: m.config.ImageMode(),
	}
	for _, opt := range opts {
		if opt != nil {
			opt(r)
		}
	}
	if err := r.validate(); err != nil {
		return nil, r.refused(err)
	}
	node, err := m.node()
	if err != nil {
		return nil, err
	}
	r.versions = versionsOf(ctx, node, r.imageMode)
	return r, nil
}

func (r *report) refused(err error) error {
	return &ReportError{NodeName: r.nodeName, Phase: r.Phase, Err: err}
}
