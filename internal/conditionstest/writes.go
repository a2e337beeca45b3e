package conditionstest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/transitions"
)

// Writes returns the lists of all writes of a report. It calls transitions.Next until the report is written, as if no
// other client wrote in between.
func Writes(list []metav1.Condition, inImageMode bool, r transitions.Report, cycle transitions.Update) (lists [][]metav1.Condition, err error) {
	for done := false; !done; {
		var next []metav1.Condition
		if next, done, err = transitions.Next(list, inImageMode, r, cycle); err != nil {
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
