package planner_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// A response keeps a status if it shows its conditions and image sets. A CRD may drop the images.
func TestAResponseThatKeepsTheStatus(t *testing.T) {
	n := imageNodeOf("1", "1")
	s := after(t, between(t, n), report(phases.NodeDegraded, metav1.ConditionTrue, n))
	s.Status.PinnedImageSets = []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{Name: "a", DesiredGeneration: 1}}
	r := planner.Request{Verb: planner.PatchStatus, Next: s}
	assert.True(t, r.IsKeptIn(planner.Object{State: s}))
	withoutSets, withoutImages := s, s
	withoutSets.Status.PinnedImageSets = nil
	withoutImages.Status.ConfigImage = mcfgv1.MachineConfigNodeStatusConfigImage{}
	assert.False(t, r.IsKeptIn(planner.Object{State: withoutSets}))
	assert.False(t, r.IsKeptIn(planner.Object{State: between(t, n)}), "other conditions")
	assert.True(t, r.IsKeptIn(planner.Object{State: withoutImages}))
	otherTexts := after(t, s, with(report(phases.NodeDegraded, metav1.ConditionTrue, n), func(c *planner.Change) { c.Message = "M" }))
	otherTexts.Status.PinnedImageSets = s.Status.PinnedImageSets
	assert.True(t, r.IsKeptIn(planner.Object{State: otherTexts}), "a webhook may change texts")
	r.Base = planner.Object{State: s}
	assert.False(t, r.IsKeptIn(planner.Object{State: otherTexts}), "but the next write is planned from texts alone")
	r.Verb = planner.Get
	assert.True(t, r.IsKeptIn(planner.Object{}))
}
