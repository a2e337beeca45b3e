package conditionstest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/transitions"
)

// Writes returns the lists of all writes of a report. If no other write has been made in the meantime,
// transitions.Next returns one after the other.
func Writes(list []metav1.Condition, imageMode bool, r transitions.Report, cycle transitions.Update) (lists [][]metav1.Condition, err error) {
	for done := false; !done; {
		var next []metav1.Condition
		if next, done, err = transitions.Next(list, imageMode, r, cycle); err != nil {
			return nil, err
		}
		if next == nil {
			return lists, nil
		}
		lists = append(lists, next)
		list = next
	}
	return lists, nil
}
