package upgrademonitor

import (
	"context"
	"regexp"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// What the CRD takes as the reason of a condition.
const (
	maxReason     = 1024
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
	return func(r *report) { r.ParentMessage = message }
}

// report is one accepted report, with what the node said when it was accepted.
type report struct {
	conditions.Report
	nodeName  string
	versions  versions
	imageMode bool
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
func (r *report) plan(s state) ([]write, error) {
	underway, next := s.underway(), r.versions.target()
	said := r.Report
	said.NewTarget = next.config != "" && next != underway
	said.Update = updateName(underway, next)

	before := s.object.Status
	lists, err := conditions.Next(before.Conditions, r.imageMode, said)
	if err != nil {
		return nil, err
	}
	if len(lists) == 0 && r.statusVersions(s, false) != statusVersions(before) {
		lists = [][]metav1.Condition{conditions.Complete(before.Conditions, r.imageMode, r.Time)}
	}
	if r.asksFor(phases.Updated, metav1.ConditionFalse) && (said.NewTarget || s.isTrue(phases.Updated)) {
		r.Begun = true
	}

	writes := make([]write, 0, len(lists))
	for _, list := range lists {
		status := s.object.Status
		status.Conditions = list
		prepared := !s.isTrue(phases.UpdatePrepared) && conditions.StatusOf(list, phases.UpdatePrepared) == metav1.ConditionTrue
		versions := r.statusVersions(s, prepared)
		status.ConfigVersion = &versions
		s.remembered = r.remember(s, list)
		s = s.withStatus(status)
		writes = append(writes, write{next: s, send: (*Monitor).applyStatus})
	}
	return writes, nil
}

func (r *report) asksFor(p phases.Phase, status metav1.ConditionStatus) bool {
	return r.Phase == p && r.Status == status
}

// remember returns what the update under way is for, after a write of the list.
func (r *report) remember(s state, list []metav1.Condition) target {
	between := conditions.StatusOf(list, phases.Updated) == metav1.ConditionTrue
	disrupted := s.isTrue(phases.Updated) && !between
	switch {
	case between:
		return target{}
	case disrupted, r.Phase == phases.Updated:
		return r.versions.target()
	default:
		return s.remembered
	}
}

// statusVersions is what the report makes of the versions in the status. The current one
// follows the node. The desired one follows it when the update was prepared, for then it
// is known to be valid, and with Updated=True.
func (r *report) statusVersions(s state, prepared bool) mcfgv1.MachineConfigNodeStatusMachineConfigVersion {
	v := statusVersions(s.object.Status)
	if r.versions.currentConfig != "" {
		v.Current = r.versions.currentConfig
	}
	if (prepared || r.asksFor(phases.Updated, metav1.ConditionTrue)) && r.versions.desiredConfig != "" {
		v.Desired = r.versions.desiredConfig
	}
	if v.Desired == "" {
		v.Desired = NotYetSet
	}
	return v
}

func statusVersions(status mcfgv1.MachineConfigNodeStatus) mcfgv1.MachineConfigNodeStatusMachineConfigVersion {
	if status.ConfigVersion == nil {
		return mcfgv1.MachineConfigNodeStatusMachineConfigVersion{}
	}
	return *status.ConfigVersion
}

// updateName is how messages name an update.
func updateName(underway, next target) string {
	for _, name := range []string{underway.config, next.config} {
		if name != "" && name != NotYetSet {
			return name
		}
	}
	return NotYetSet
}

// newReport reads the node, and makes a report of what is said now.
func (m *Monitor) newReport(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...ReportOption) (*report, error) {
	r := &report{
		Report: conditions.Report{
			Phase:   phase,
			Status:  status,
			Reason:  reason,
			Message: message,
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
	r.versions = versionsOf(ctx, node)
	return r, nil
}

func (r *report) refused(err error) error {
	return &ReportError{NodeName: r.nodeName, Phase: r.Phase, Err: err}
}
