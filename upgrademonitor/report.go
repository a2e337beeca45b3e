package upgrademonitor

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/validate"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

// Made once: a repeat allocates next to nothing.
var reasonPath, optsPath = field.NewPath("reason"), field.NewPath("opts")

// newReport reads the node, and makes a report of this moment.
func (m *Monitor) newReport(ctx context.Context, phase phases.Phase, reason, message string, status metav1.ConditionStatus, options reportOptions) (plan.Report, error) {
	r := plan.Report{
		Report: conditions.Report{
			Phase:           phase,
			Status:          status,
			Reason:          reason,
			Message:         conditions.Truncate(message),
			CompletesParent: options.completesParent,
			ParentMessage:   options.parentMessage,
			Time:            metav1.NewTime(m.config.Clock.Now()),
		},
		ImageMode: m.config.ImageMode(),
	}
	if err := validateReport(r); err != nil {
		return plan.Report{}, m.refused(phase, err)
	}
	node, err := m.node()
	if err != nil {
		return plan.Report{}, err
	}
	r.Node = readNode(ctx, node, r.ImageMode)
	return r, nil
}

// validateReport refuses what could never be written.
func validateReport(r plan.Report) error {
	if err := phases.Check(r.Phase, r.Status, r.ImageMode); err != nil {
		return err
	}
	switch {
	case r.Reason == "":
		return field.Required(reasonPath, "use a CamelCase word")
	case len(r.Reason) > validate.MaxReason:
		return field.TooLong(reasonPath, "", validate.MaxReason)
	case !validate.IsReason(r.Reason):
		return field.Invalid(reasonPath, fmt.Sprintf("%.64s", r.Reason), "must be a CamelCase word that matches "+validate.ReasonPattern)
	}
	if r.CompletesParent && r.Status != metav1.ConditionTrue {
		return field.Forbidden(optsPath.Key("CompletesParent"), "valid with status True only: a phase that is not done completes nothing")
	}
	if _, ok := phases.ParentOf(r.Phase); !ok && (r.CompletesParent || r.ParentMessage != "") {
		return field.Forbidden(optsPath, "CompletesParent and ParentMessage are valid for a Child phase only: "+string(r.Phase)+" has no parent")
	}
	return nil
}

// refused returns the error of a report that is not accepted.
func (m *Monitor) refused(phase phases.Phase, err error) error {
	return &ReportError{NodeName: m.config.NodeName, Phase: phase, Err: err}
}

// intentRefused returns the error of an intent whose plan is a refusal.
func (m *Monitor) intentRefused(in plan.Intent, err error) error {
	switch in := in.(type) {
	case plan.Report:
		return m.refused(in.Phase, err)
	case plan.ImageSets:
		return m.refused(in.Phase, err)
	default:
		return err
	}
}
