package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
)

// ToApply returns the apply configurations of a list. They point into the list, which must not
// be changed while they are in use.
func ToApply(list []metav1.Condition) []applymetav1.ConditionApplyConfiguration {
	apply := make([]applymetav1.ConditionApplyConfiguration, len(list))
	for i := range list {
		c := &list[i]
		apply[i] = applymetav1.ConditionApplyConfiguration{
			Type:               &c.Type,
			Status:             &c.Status,
			LastTransitionTime: &c.LastTransitionTime,
			Reason:             &c.Reason,
			Message:            &c.Message,
		}
		if c.ObservedGeneration > 0 {
			apply[i].ObservedGeneration = &c.ObservedGeneration
		}
	}
	return apply
}
