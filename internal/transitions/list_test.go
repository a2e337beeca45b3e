package transitions_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

func TestCompleteReturnsOneConditionForEachPhase(t *testing.T) {
	mine := metav1.Condition{Type: "Drained", Status: running, Reason: "Mine", ObservedGeneration: 3, LastTransitionTime: earlier}
	second := metav1.Condition{Type: "Drained", Status: done, Reason: "Second"}
	unowned := metav1.Condition{Type: "InternalReleaseImageDegraded", Status: done}
	for name, list := range map[string][]metav1.Condition{
		"nil":                          nil,
		"one":                          {mine},
		"duplicate":                    {mine, second},
		"unowned":                      {unowned, mine, {Type: ""}, {Type: "drained"}},
		"conditions of the other mode": {{Type: "AppliedFiles", Status: done}, {Type: "AppliedFilesAndOS", Status: done}, mine},
	} {
		t.Run(name, func(t *testing.T) {
			kept := slices.Clone(list)
			for _, inImageMode := range []bool{false, true} {
				complete := transitions.Complete(list, inImageMode, now)

				assert.Len(t, complete, len(phases.All(inImageMode)))
				for i, c := range complete {
					assert.EqualValues(t, phases.All(inImageMode)[i], c.Type)
					switch i := slices.IndexFunc(list, func(o metav1.Condition) bool { return o.Type == c.Type }); i {
					case -1:
						assert.Equal(t, metav1.Condition{Type: c.Type, Status: no, LastTransitionTime: now, Reason: "NotYetOccurred",
							Message: "This node has not yet entered the " + c.Type + " phase"}, c)
					default:
						assert.Equal(t, list[i], c)
					}
				}
				assert.Equal(t, complete, transitions.Complete(complete, inImageMode, earlier), "a complete list is unchanged")
				clear(complete)
				assert.Equal(t, kept, list, "Complete does not change its argument")
			}
		})
	}
}

func TestAPhaseThatIsTrueWasReportedWhateverItsReason(t *testing.T) {
	list := []metav1.Condition{{Type: "Drained", Status: done, Reason: "NotYetOccurred"}, {Type: "Cordoned", Status: no, Reason: "NotYetOccurred"}}
	assert.False(t, transitions.NeverReported(list, phases.Drained))
	assert.True(t, transitions.NeverReported(list, phases.Cordoned))
}
