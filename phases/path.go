package phases

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// move is what a report asks of one phase: the status it has and the status it shall have.
type move struct {
	from, to metav1.ConditionStatus
}

const (
	no      = metav1.ConditionFalse
	running = metav1.ConditionUnknown
	done    = metav1.ConditionTrue
)

// steps is the state machine of one phase. A move that stands in no row is refused.
var steps = map[move][]metav1.ConditionStatus{
	{no, no}:           {},
	{no, running}:      {running},
	{no, done}:         {running, done},
	{running, running}: {},
	{running, done}:    {done},
	{done, no}:         {no},
	{done, running}:    {no, running},
	{done, done}:       {},
}

// updatedSteps is the state machine of Updated, which is True between updates.
var updatedSteps = map[move][]metav1.ConditionStatus{
	{no, no}:        {},
	{no, done}:      {done},
	{running, no}:   {no},
	{running, done}: {done},
	{done, no}:      {no},
	{done, done}:    {},
}

// Path returns the statuses that a phase takes, in order, to get from one status to
// another, the last of which is to. One write publishes one of them.
//
//  1. A missing status ("") counts as False.
//  2. It is nil where there is nothing to do.
//  3. A missing Unknown or False is filled in, so that nobody sees a jump. True is
//     never filled in: only the caller can say that a phase is done.
//  4. A move that the state machine refuses gives a *TransitionError.
//  5. Updated goes from True to False and from False to True; Unknown is refused. An
//     Updated that someone else has made Unknown is left either way.
//  6. Singletons move freely.
//
// An unknown phase gives an *UnknownPhaseError, a value that is no status a *StatusError.
func Path(p Phase, from, to metav1.ConditionStatus) ([]metav1.ConditionStatus, error) {
	kind := KindOf(p)
	if kind == "" {
		return nil, &UnknownPhaseError{Phase: p}
	}
	if from == "" {
		from = no
	}
	for _, s := range []metav1.ConditionStatus{from, to} {
		if !validStatus(s) {
			return nil, &StatusError{Status: s}
		}
	}
	if kind == Singleton {
		if from == to {
			return nil, nil
		}
		return []metav1.ConditionStatus{to}, nil
	}
	machine := steps
	if p == Updated {
		machine = updatedSteps
	}
	path, ok := machine[move{from, to}]
	if !ok {
		return nil, &TransitionError{Phase: p, From: from, To: to}
	}
	if len(path) == 0 {
		return nil, nil
	}
	return slices.Clone(path), nil
}

// Check reports whether a phase exists in the mode and can be said to have the status: nil,
// an *UnknownPhaseError, a *ModeError or a *StatusError. Whether it may move there is for
// Path to say.
func Check(p Phase, status metav1.ConditionStatus, inImageMode bool) error {
	switch {
	case KindOf(p) == "":
		return &UnknownPhaseError{Phase: p}
	case !In(p, inImageMode):
		return &ModeError{Phase: p, ImageMode: inImageMode}
	case !validStatus(status):
		return &StatusError{Status: status}
	}
	return nil
}

func validStatus(s metav1.ConditionStatus) bool {
	return s == no || s == running || s == done
}
