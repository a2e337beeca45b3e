package components

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// maxConflicts is how often a removal is retried at once after a conflict.
const maxConflicts = 10

// surplus returns the conditions of this process that the object has but should not have.
func (o *object) surplus(mc *operatorv1.MachineConfiguration, list []metav1.Condition) []metav1.Condition {
	present := o.published
	if !o.behind(mc) {
		present = own(mc.Status.Conditions, o.config.Component)
	}
	return slices.DeleteFunc(slices.Clone(present), func(c metav1.Condition) bool { return find(list, c.Type) != nil })
}

// mayRemove reports whether conditions may be removed: once per MaxInterval, whether or not that
// succeeds. Until then those that should not be there are ignored.
func (o *object) mayRemove(now time.Time) bool {
	if o.removal.IsZero() {
		return true
	}
	o.removal = earlier(o.removal, now) // the clock may have been set back
	return now.Sub(o.removal) >= o.config.MaxInterval
}

// with returns the conditions to apply while others should not be there, but are. Omitting these would
// leave a partial entry, as described at remove.
func (o *object) with(list, surplus []metav1.Condition) []metav1.Condition {
	if len(surplus) == 0 {
		return list
	}
	for i := range surplus {
		surplus[i].Message = oneLine(surplus[i].Message, maxMessage)
	}
	return own(slices.Concat(list, surplus), o.config.Component)
}

// removeAtOnce removes conditions, also where others write the object at the same time.
func (o *object) removeAtOnce(ctx context.Context, list []metav1.Condition) error {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.Type
	}
	err := o.remove(ctx, names)
	for range maxConflicts {
		if !apierrors.IsConflict(err) {
			break
		}
		err = o.remove(ctx, names)
	}
	return err
}

// remove removes conditions by a merge patch of the list. An apply without them would leave a partial
// entry, which the CRD rejects, if another field manager owns fields of one.
func (o *object) remove(ctx context.Context, names []string) error {
	mc, err := o.request(ctx, func(ctx context.Context) (*operatorv1.MachineConfiguration, error) {
		mc, err := o.config.Client.Get(ctx, ObjectName, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		isNamed := func(c metav1.Condition) bool { return slices.Contains(names, c.Type) }
		if mc == nil || !slices.ContainsFunc(mc.Status.Conditions, isNamed) {
			return mc, nil
		}
		body, err := removePatch(mc, slices.DeleteFunc(slices.Clone(mc.Status.Conditions), isNamed))
		if err != nil || ctx.Err() != nil {
			return nil, errors.Join(err, ctx.Err())
		}
		options := metav1.PatchOptions{FieldManager: o.config.FieldManager}
		return o.config.Client.Patch(ctx, ObjectName, types.MergePatchType, body, options, "status")
	})
	if err != nil {
		return err
	}
	o.wrote(mc, own(mc.Status.Conditions, o.config.Component))
	return nil
}

// removePatch returns the merge patch that keeps only some conditions. It conflicts if others have
// written since the object was read. Without conditions it removes the list, as others treat an empty
// one as initialized.
func removePatch(mc *operatorv1.MachineConfiguration, left []metav1.Condition) ([]byte, error) {
	var list any
	if len(left) > 0 {
		list = left
	}
	return json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": mc.ResourceVersion},
		"status":   map[string]any{"conditions": list},
	})
}
