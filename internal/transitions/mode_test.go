package transitions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
)

func TestInImageMode(t *testing.T) {
	const ran, notYet = metav1.ConditionTrue, metav1.ConditionFalse
	const standard, files, image, pull = phases.AppliedFilesAndOS, phases.AppliedFiles, phases.AppliedOSImage, phases.ImagePulledFromRegistry
	type statuses = map[phases.Phase]metav1.ConditionStatus
	for name, tc := range map[string]struct {
		list statuses
		want bool
	}{
		"no conditions":           {nil, false},
		"standard":                {statuses{standard: notYet}, false},
		"a pull in standard mode": {statuses{standard: notYet, pull: ran}, false},
		"files":                   {statuses{files: notYet}, true},
		"an image":                {statuses{image: notYet}, true},
		"both, neither ran":       {statuses{standard: notYet, image: notYet}, true},
		"both, files ran":         {statuses{standard: notYet, files: ran, image: notYet}, true},
		"both, the image ran":     {statuses{standard: notYet, files: notYet, image: ran}, true},
		"both, standard ran":      {statuses{standard: ran, files: notYet, image: notYet}, false},
		"both ran":                {statuses{standard: ran, image: ran}, true},
		"both, a pull ran":        {statuses{standard: ran, image: notYet, pull: ran}, false},
	} {
		var list []metav1.Condition
		for p, status := range tc.list {
			list = append(list, metav1.Condition{Type: string(p), Status: status})
		}
		assert.Equal(t, tc.want, transitions.InImageMode(list), name)
	}
}
