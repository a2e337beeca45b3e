package components

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// maxClearConflicts is how often Clear retries after a conflict.
const maxClearConflicts = 10

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
	var names []string
	for _, t := range typesOf(r.config.Component) {
		names = append(names, t.name())
	}
	err := o.remove(ctx, names)
	for range maxClearConflicts {
		if !apierrors.IsConflict(err) {
			break
		}
		err = o.remove(ctx, names)
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
