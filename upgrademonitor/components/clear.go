package components

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Clear removes the conditions of this process from the object, when the feature is disabled. Those of
// others are kept. Nothing is written any more until Run is called again.
//
// A missing object, or one without these conditions, is not an error.
func (r *Reporter) Clear(ctx context.Context) error {
	if r == nil {
		return nil
	}
	if err := r.lock(ctx); err != nil {
		return err
	}
	defer r.unlock()
	o := &r.object
	o.cleared, o.adopted, o.attempted = true, false, nil
	var all []metav1.Condition
	for _, t := range typesOf(r.config.Component) {
		all = append(all, metav1.Condition{Type: t.name()})
	}
	err := o.removeAtOnce(ctx, all)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
