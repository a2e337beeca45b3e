package conditions

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// CheckTransitions compares the conditions before and after a write. It returns an error for each
// phase that skips a status of its state machine, makes an invalid transition, or changes its
// lastTransitionTime but not its status. A step may change from Unknown to False only in a write
// that starts or ends an update. After such a write, every step is False, except that
// UpdatePrepared may be Unknown.
func CheckTransitions(before, after []metav1.Condition) error {
	var errs []error
	for i := range after {
		c := &after[i]
		p := phases.Phase(c.Type)
		if phases.KindOf(p) == "" {
			continue
		}
		from := StatusOf(before, p)
		path, err := phases.Path(p, from, c.Status)
		resets := phases.IsUpdateStep(p) && from == metav1.ConditionUnknown && c.Status == metav1.ConditionFalse && isReset(after)
		if from != c.Status && (len(path) > 1 || err != nil && !resets) {
			errs = append(errs, fmt.Errorf("%s must not change from %s to %s", p, from, c.Status))
		}
		if known := Find(before, p); known != nil && known.Status == c.Status && !known.LastTransitionTime.Equal(&c.LastTransitionTime) {
			errs = append(errs, fmt.Errorf("lastTransitionTime of %s must not change while the status stays the same", p))
		}
	}
	return errors.Join(errs...)
}

// isReset reports whether every step is False. UpdatePrepared may also be Unknown, because the
// write that starts an update also starts UpdatePrepared. Clients, and the admission policy on
// transitions, recognize the start and the end of an update by this.
func isReset(list []metav1.Condition) bool {
	return !slices.ContainsFunc(list, func(c metav1.Condition) bool {
		p := phases.Phase(c.Type)
		prepares := p == phases.UpdatePrepared && c.Status == metav1.ConditionUnknown
		return phases.IsUpdateStep(p) && Ran(list, p) && !prepares
	})
}
