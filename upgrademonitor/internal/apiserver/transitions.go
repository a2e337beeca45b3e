package apiserver

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

// CheckTransitions compares the conditions before and after a write. It returns an error for each
// phase that skips a status of its state machine, makes an invalid transition, or changes its
// lastTransitionTime but not its status. A step may change from Unknown to False only in a write
// that starts or ends an update. After such a write, every step is False, except that
// UpdatePrepared may be Unknown.
func CheckTransitions(before, after []metav1.Condition) error {
	reset := true
	for _, c := range after {
		p := phases.Phase(c.Type)
		starts := p == phases.UpdatePrepared && c.Status == metav1.ConditionUnknown
		reset = reset && (!phases.IsUpdateStep(p) || c.Status == metav1.ConditionFalse || starts)
	}
	var errs []error
	for _, c := range after {
		p := phases.Phase(c.Type)
		if phases.KindOf(p) == "" {
			continue
		}
		from := conditions.StatusOf(before, p)
		path, err := phases.Path(p, from, c.Status)
		resets := reset && phases.IsUpdateStep(p) && from == metav1.ConditionUnknown && c.Status == metav1.ConditionFalse
		if from != c.Status && (len(path) > 1 || err != nil && !resets) {
			errs = append(errs, fmt.Errorf("%s must not change from %s to %s", p, from, c.Status))
		}
		if known := conditions.Find(before, p); known != nil && known.Status == c.Status && !known.LastTransitionTime.Equal(&c.LastTransitionTime) {
			errs = append(errs, fmt.Errorf("lastTransitionTime of %s must not change while the status stays the same", p))
		}
	}
	return errors.Join(errs...)
}
