package phases

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type transition struct {
	from, to metav1.ConditionStatus
}

// cycle is the state machine of a phase of an update: the statuses to publish for each valid
// transition.
var cycle = map[transition][]metav1.ConditionStatus{
	{metav1.ConditionFalse, metav1.ConditionFalse}:     {},
	{metav1.ConditionFalse, metav1.ConditionUnknown}:   {metav1.ConditionUnknown},
	{metav1.ConditionFalse, metav1.ConditionTrue}:      {metav1.ConditionUnknown, metav1.ConditionTrue},
	{metav1.ConditionUnknown, metav1.ConditionUnknown}: {},
	{metav1.ConditionUnknown, metav1.ConditionTrue}:    {metav1.ConditionTrue},
	{metav1.ConditionTrue, metav1.ConditionFalse}:      {metav1.ConditionFalse},
	{metav1.ConditionTrue, metav1.ConditionUnknown}:    {metav1.ConditionFalse, metav1.ConditionUnknown},
	{metav1.ConditionTrue, metav1.ConditionTrue}:       {},
}

// updatedCycle is the state machine of Updated, which is True between updates.
var updatedCycle = map[transition][]metav1.ConditionStatus{
	{metav1.ConditionFalse, metav1.ConditionFalse}:   {},
	{metav1.ConditionFalse, metav1.ConditionTrue}:    {metav1.ConditionTrue},
	{metav1.ConditionUnknown, metav1.ConditionFalse}: {metav1.ConditionFalse},
	{metav1.ConditionUnknown, metav1.ConditionTrue}:  {metav1.ConditionTrue},
	{metav1.ConditionTrue, metav1.ConditionFalse}:    {metav1.ConditionFalse},
	{metav1.ConditionTrue, metav1.ConditionTrue}:     {},
}

// Path returns the statuses to publish, in order, to change a phase from one status to another.
// Each write publishes one status. The result ends with the new status.
//
//  1. If from is "", it counts as False.
//  2. If the status does not change, the result is nil.
//  3. If the caller skips Unknown or False, Path inserts this status, so that a watcher sees every
//     transition. Path never inserts True, because only the caller knows that a phase is done.
//  4. If the state machine does not allow the transition, the error is a *TransitionError.
//  5. Updated may change from True to False and from False to True. A change to Unknown is an
//     error. If another client has set Updated to Unknown, Updated may change to False or True.
//  6. Singletons may change to any status.
//
// If the phase or a status is invalid, the error is a *field.Error of type NotSupported.
func Path(p Phase, from, to metav1.ConditionStatus) ([]metav1.ConditionStatus, error) {
	kind := KindOf(p)
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
	if kind == Singleton {
		if from == to {
			return nil, nil
		}
		return []metav1.ConditionStatus{to}, nil
	}
	machine := cycle
	if p == Updated {
		machine = updatedCycle
	}
	path, ok := machine[transition{from, to}]
	if !ok {
		return nil, &TransitionError{Phase: p, From: from, To: to}
	}
	if len(path) == 0 {
		return nil, nil
	}
	return slices.Clone(path), nil
}

// Check validates the phase and the status of a report. The error is a *field.Error for the field
// phase or status. Its type is Invalid if the mode does not have the phase, otherwise NotSupported.
func Check(p Phase, status metav1.ConditionStatus, inImageMode bool) error {
	switch {
	case KindOf(p) == "":
		return unknownPhase(p)
	case !ExistsIn(p, inImageMode):
		return wrongMode(p, inImageMode)
	case !validStatus(status):
		return invalidStatus(status)
	}
	return nil
}

func validStatus(s metav1.ConditionStatus) bool {
	return s == metav1.ConditionFalse || s == metav1.ConditionUnknown || s == metav1.ConditionTrue
}
