package transitions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

func TestTheConditionsShowTheMode(t *testing.T) {
	const started, notYet = metav1.ConditionTrue, metav1.ConditionFalse
	const standard, files, image, pull = phases.AppliedFilesAndOS, phases.AppliedFiles, phases.AppliedOSImage, phases.ImagePulledFromRegistry
	type statuses = map[phases.Phase]metav1.ConditionStatus
	for name, tc := range map[string]struct {
		list statuses
		want bool
	}{
		"no conditions":     {nil, false},
		"AppliedFilesAndOS": {statuses{standard: notYet}, false},
		"ImagePulledFromRegistry beside AppliedFilesAndOS": {statuses{standard: notYet, pull: started}, false},
		"AppliedFiles":                                  {statuses{files: notYet}, true},
		"AppliedOSImage":                                {statuses{image: notYet}, true},
		"both modes, and neither has started":           {statuses{standard: notYet, image: notYet}, true},
		"both modes, and AppliedFiles has started":      {statuses{standard: notYet, files: started, image: notYet}, true},
		"both modes, and AppliedOSImage has started":    {statuses{standard: notYet, files: notYet, image: started}, true},
		"both modes, and AppliedFilesAndOS has started": {statuses{standard: started, files: notYet, image: notYet}, false},
		"both modes have started":                       {statuses{standard: started, image: started}, true},
		"both modes, and AppliedFilesAndOS and ImagePulledFromRegistry have started": {statuses{standard: started, image: notYet, pull: started}, false},
	} {
		var list []metav1.Condition
		for p, status := range tc.list {
			list = append(list, metav1.Condition{Type: string(p), Status: status})
		}
		assert.Equal(t, tc.want, transitions.InImageMode(list), name)
	}
}
