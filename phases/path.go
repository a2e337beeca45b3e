package phases

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// transition is a requested change of the status of a phase.
type transition struct {
	from, to metav1.ConditionStatus
}

// cycle is the state machine of a phase of an update. A transition without an entry is an error.
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

// Path returns the statuses that a phase passes through on the way from one status to another, in
// order. The result ends with the status to. Each write publishes one status.
//
//  1. An empty from ("") counts as False.
//  2. The result is nil if there is nothing to do.
//  3. A missing Unknown or False is inserted, so that a watcher sees every transition. True is
//     never inserted: only the caller knows that a phase is done.
//  4. A transition that the state machine does not allow is a *TransitionError.
//  5. Updated changes from True to False and from False to True; Unknown is an error. If another
//     client has set Updated to Unknown, it may change to False or True.
//  6. Singletons may change to any status.
//
// An unknown phase or an invalid status is a *field.Error (NotSupported) for the field phase or
// status.
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

// Check validates the phase and the status of a report. It returns a *field.Error for the field
// phase if the phase is unknown (NotSupported) or does not exist in the mode (Invalid), and for the
// field status if the status is not True, False or Unknown (NotSupported). Path checks transitions.
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
