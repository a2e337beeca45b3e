// Package conditionstest checks the conditions that a client writes.
package conditionstest

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

// CheckTransitions compares the conditions before and after a write, and joins the errors of all
// phases. It is for tests of clients that write conditions.
//
//  1. It is an error if transitions.Path rejects a change of a status, or returns more than one status
//     for this change.
//  2. A write that starts or ends an update may change steps from Unknown to False. After such a
//     write, every step is False, except that UpdatePrepared may be Unknown.
//  3. It is an error if the lastTransitionTime changes, but the status does not.
func CheckTransitions(before, after []metav1.Condition) error {
	var errs []error
	for i := range after {
		c := &after[i]
		p := phases.Phase(c.Type)
		if phases.KindOf(p) == "" {
			continue
		}
		from := conditions.StatusOf(before, p)
		path, err := transitions.Path(p, from, c.Status)
		isResetStep := c.Status == metav1.ConditionFalse && isReset(after)
		if from != c.Status && (len(path) > 1 || err != nil && !isResetStep) {
			errs = append(errs, fmt.Errorf("%s must not change from %s to %s", p, from, c.Status))
		}
		known := conditions.Find(before, p)
		if known == nil || known.Status != c.Status {
			continue
		}
		if !known.LastTransitionTime.Equal(&c.LastTransitionTime) {
			errs = append(errs, fmt.Errorf("lastTransitionTime of %s must not change while the status stays the same", p))
		}
	}
	return errors.Join(errs...)
}

// isReset reports whether every step is False. UpdatePrepared may also be Unknown, because the
// write that starts an update also starts UpdatePrepared. The TransitionPolicy of package
// scope/guard has the same rule.
func isReset(list []metav1.Condition) bool {
	return !slices.ContainsFunc(list, func(c metav1.Condition) bool {
		p := phases.Phase(c.Type)
		prepares := p == phases.UpdatePrepared && c.Status == metav1.ConditionUnknown
		return phasetable.IsStep(p) && transitions.HasStarted(list, p) && !prepares
	})
}
