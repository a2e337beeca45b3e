package conditions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
)

func TestInImageMode(t *testing.T) {
	const ran, notYet = "Ran", conditions.ReasonNotYetOccurred
	const standard, files, image, pull = phases.AppliedFilesAndOS, phases.AppliedFiles, phases.AppliedOSImage, phases.ImagePulledFromRegistry
	type reasons = map[phases.Phase]string
	for name, tc := range map[string]struct {
		list reasons
		want bool
	}{
		"no conditions":           {nil, false},
		"standard":                {reasons{standard: notYet}, false},
		"a pull in standard mode": {reasons{standard: notYet, pull: ran}, false},
		"files":                   {reasons{files: notYet}, true},
		"an image":                {reasons{image: notYet}, true},
		"both, neither ran":       {reasons{standard: notYet, image: notYet}, true},
		"both, files ran":         {reasons{standard: notYet, files: ran, image: notYet}, true},
		"both, the image ran":     {reasons{standard: notYet, files: notYet, image: ran}, true},
		"both, standard ran":      {reasons{standard: ran, files: notYet, image: notYet}, false},
		"both ran":                {reasons{standard: ran, image: ran}, true},
		"both, a pull ran":        {reasons{standard: ran, image: notYet, pull: ran}, false},
	} {
		var list []metav1.Condition
		for p, reason := range tc.list {
			list = append(list, metav1.Condition{Type: string(p), Status: metav1.ConditionFalse, Reason: reason})
		}
		assert.Equal(t, tc.want, conditions.InImageMode(list), name)
	}
}
