package main

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// TestAfterCall makes the calls of an update: the writes are as large as real ones.
func TestAfterCall(t *testing.T) {
	object := &mcfgv1.MachineConfigNode{}
	object.Spec.ConfigVersion.Desired = config(2)
	for _, c := range shortUpdate[:len(shortUpdate)-1] {
		object.Status.Conditions = afterCall(object, c)
		assert.True(t, meta.IsStatusConditionPresentAndEqual(object.Status.Conditions, string(c.phase), c.status), "%s %s", c.phase, c.status)
	}
	assert.True(t, meta.IsStatusConditionTrue(object.Status.Conditions, string(phases.UpdateExecuted)), "its last child completes it")
	assert.True(t, meta.IsStatusConditionFalse(object.Status.Conditions, string(phases.Updated)))

	before := object.DeepCopy()
	end := afterCall(object, shortUpdate[len(shortUpdate)-1])
	assert.Equal(t, before, object, "the argument is unchanged")
	for _, condition := range end {
		if condition.Type == string(phases.Updated) {
			assert.Equal(t, metav1.ConditionTrue, condition.Status)
			continue
		}
		assert.Equal(t, metav1.ConditionFalse, condition.Status, condition.Type)
		assert.Contains(t, condition.Message, "Action during update to "+config(2)+": ")
	}
}
