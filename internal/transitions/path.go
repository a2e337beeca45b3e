package transitions

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/phases"
)

type transition struct {
	from, to metav1.ConditionStatus
}

// stepPaths has a row for each valid transition of a step of an update. The value of a row is the
// result of Path.
var stepPaths = map[transition][]metav1.ConditionStatus{
	{metav1.ConditionFalse, metav1.ConditionFalse}:     nil,
	{metav1.ConditionFalse, metav1.ConditionUnknown}:   {metav1.ConditionUnknown},
	{metav1.ConditionFalse, metav1.ConditionTrue}:      {metav1.ConditionUnknown, metav1.ConditionTrue},
	{metav1.ConditionUnknown, metav1.ConditionUnknown}: nil,
	{metav1.ConditionUnknown, metav1.ConditionTrue}:    {metav1.ConditionTrue},
	{metav1.ConditionTrue, metav1.ConditionFalse}:      {metav1.ConditionFalse},
	{metav1.ConditionTrue, metav1.ConditionUnknown}:    {metav1.ConditionFalse, metav1.ConditionUnknown},
	{metav1.ConditionTrue, metav1.ConditionTrue}:       nil,
}

// updatedPaths is the same table for Updated.
var updatedPaths = map[transition][]metav1.ConditionStatus{
	{metav1.ConditionFalse, metav1.ConditionFalse}:   nil,
	{metav1.ConditionFalse, metav1.ConditionTrue}:    {metav1.ConditionTrue},
	{metav1.ConditionUnknown, metav1.ConditionFalse}: {metav1.ConditionFalse},
	{metav1.ConditionUnknown, metav1.ConditionTrue}:  {metav1.ConditionTrue},
	{metav1.ConditionTrue, metav1.ConditionFalse}:    {metav1.ConditionFalse},
	{metav1.ConditionTrue, metav1.ConditionTrue}:     nil,
}

// Path returns the statuses to write, in order and one per write, to change a phase from one status
// to another. The result ends with the new status. It is nil if the status does not change. If from
// is "", it counts as False.
//
//  1. A step of an update goes through False, Unknown, True, and False again. If the caller skips
//     Unknown or False, Path inserts this status, so that a watcher sees each change.
//  2. A step cannot change from Unknown to False. Path never inserts True between them, because
//     only the caller knows that a step is done.
//  3. Updated can change to False and to True, but not to Unknown. Singletons can change to any
//     status.
//  4. If the change is not possible, the error is a *TransitionError. If the phase or a status is
//     invalid, the error is a *field.Error of type NotSupported.
func Path(p phases.Phase, from, to metav1.ConditionStatus) ([]metav1.ConditionStatus, error) {
	kind := phases.KindOf(p)
	if kind == "" {
		return nil, unknownPhase(p)
	}
	if from == "" {
		from = metav1.ConditionFalse
	}
	for _, s := range []metav1.ConditionStatus{from, to} {
		if !validStatus(s) {
			return nil, invalidStatus(s)
		}
	}
	if kind == phases.Singleton {
		if from == to {
			return nil, nil
		}
		return []metav1.ConditionStatus{to}, nil
	}
	paths := stepPaths
	if p == phases.Updated {
		paths = updatedPaths
	}
	path, ok := paths[transition{from, to}]
	if !ok {
		return nil, &phases.TransitionError{Phase: p, From: from, To: to}
	}
	return slices.Clone(path), nil
}

// CheckMode returns a *field.Error for the field "phase" if a phase does not exist in the mode of the node.
func CheckMode(p phases.Phase, inImageMode bool) error {
	if !phasetable.ExistsIn(p, inImageMode) {
		return wrongMode(p, inImageMode)
	}
	return nil
}

func validStatus(s metav1.ConditionStatus) bool {
	return s == metav1.ConditionFalse || s == metav1.ConditionUnknown || s == metav1.ConditionTrue
}

func unknownPhase(p phases.Phase) error {
	return field.NotSupported(field.NewPath("phase"), p, phasetable.Both())
}

func wrongMode(p phases.Phase, inImageMode bool) error {
	mode, gate := "standard mode", "off"
	if inImageMode {
		mode, gate = "image mode", "on"
	}
	detail := fmt.Sprintf("the phase does not exist in %s (the feature gate ImageModeStatusReporting is %s); "+
		"use a phase that phases.All(%t) returns", mode, gate, inImageMode)
	return field.Invalid(field.NewPath("phase"), string(p), detail)
}

func invalidStatus(s metav1.ConditionStatus) error {
	return field.NotSupported(field.NewPath("status"), s,
		[]metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown})
}
