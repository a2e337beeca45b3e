package planner_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// A response keeps the status of a write if the response has the same statuses of the conditions and the same image sets.
// The images may be missing, because the CRD of standard mode drops them.
func TestAResponseKeepsTheStatusIfConditionsAndImageSetsAreEqual(t *testing.T) {
	n := imageNodeOf("1", "1")
	s := after(t, between(t, n), report(phases.NodeDegraded, metav1.ConditionTrue, n))
	s.Status.PinnedImageSets = []mcfgv1.MachineConfigNodeStatusPinnedImageSet{{Name: "a", DesiredGeneration: 1}}
	r := planner.Request{Verb: planner.PatchStatus, Next: s}
	assert.True(t, r.IsKeptIn(planner.Object{State: s}))
	withoutSets, withoutImages := s, s
	withoutSets.Status.PinnedImageSets = nil
	withoutImages.Status.ConfigImage = mcfgv1.MachineConfigNodeStatusConfigImage{}
	assert.False(t, r.IsKeptIn(planner.Object{State: withoutSets}))
	assert.False(t, r.IsKeptIn(planner.Object{State: between(t, n)}), "a response with other conditions does not keep the status")
	assert.True(t, r.IsKeptIn(planner.Object{State: withoutImages}))
	otherTexts := after(t, s, with(report(phases.NodeDegraded, metav1.ConditionTrue, n), func(c *planner.Change) { c.Message = "M" }))
	otherTexts.Status.PinnedImageSets = s.Status.PinnedImageSets
	assert.True(t, r.IsKeptIn(planner.Object{State: otherTexts}), "a response with other texts keeps the status, because a webhook may change texts")
	r.Base = planner.Object{State: s}
	assert.False(t, r.IsKeptIn(planner.Object{State: otherTexts}), "a write of texts alone is not kept if the response has other texts")
	r.Verb = planner.Get
	assert.True(t, r.IsKeptIn(planner.Object{}))
}

// The CRD of standard mode drops the image. The shell tests a webhook that keeps the old config.
func TestAResponseKeepsTheSpecEvenIfTheCRDDropsTheImage(t *testing.T) {
	n := imageNodeOf("1", "2")
	r := planner.Request{Verb: planner.PatchSpec, Next: between(t, imageNodeOf("1", "1")).WithSpecOf(n), Node: n}
	shown := r.Next
	assert.True(t, r.IsKeptIn(planner.Object{State: shown}))
	shown.Spec.ConfigImage.DesiredImage = ""
	assert.True(t, r.IsKeptIn(planner.Object{State: shown}))
	shown.Spec.ConfigImage.DesiredImage = "1"
	assert.False(t, r.IsKeptIn(planner.Object{State: shown}))
}
