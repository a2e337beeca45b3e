package transitions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/conditionstest"
	"github.com/openshift/upgrademonitor/phases"
)

func TestCheckTransitions(t *testing.T) {
	before := statusMap{phases.UpdatePrepared: done, phases.UpdateExecuted: running, phases.Drained: running, phases.NodeDegraded: running}
	with := func(changes statusMap) statusMap {
		m := statusMap{}
		for _, of := range []statusMap{before, changes} {
			for p, s := range of {
				m[p] = s
			}
		}
		return m
	}
	reset := statusMap{phases.UpdatePrepared: running, phases.NodeDegraded: running}
	for name, tc := range map[string]struct {
		after statusMap
		want  string // of the error, "": none
	}{
		"nothing changes":           {before, ""},
		"a step is done":            {with(statusMap{phases.Drained: done}), ""},
		"a step skips Unknown":      {with(statusMap{phases.Cordoned: done}), "Cordoned must not change from False to True"},
		"a step is taken back":      {with(statusMap{phases.Drained: no}), "Drained must not change from Unknown to False"},
		"all steps are, and one":    {reset, "UpdatePrepared must not change from True to Unknown"},
		"it is, without a step":     {statusMap{phases.Updated: running}, "Updated must not change from False to Unknown"},
		"all steps are taken back":  {statusMap{phases.NodeDegraded: running}, ""},
		"Updated is Unknown":        {with(statusMap{phases.Updated: running}), "Updated must not change from False to Unknown"},
		"a singleton does anything": {with(statusMap{phases.NodeDegraded: no, phases.PinnedImageSetsDegraded: done}), ""},
	} {
		err := conditionstest.CheckTransitions(before.list(false), tc.after.list(false))
		if tc.want == "" {
			assert.NoError(t, err, name)
		} else {
			assert.EqualError(t, err, tc.want, name)
		}
	}
	later := before.list(false)
	conditions.Find(later, phases.Drained).LastTransitionTime = now
	assert.EqualError(t, conditionstest.CheckTransitions(before.list(false), later), "lastTransitionTime of Drained must not change while the status stays the same")
	foreign := []metav1.Condition{{Type: "InternalReleaseImageDegraded", Status: "Bogus"}}
	assert.NoError(t, conditionstest.CheckTransitions(nil, foreign))
}
