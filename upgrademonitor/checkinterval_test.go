package upgrademonitor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// TestShortCheckInterval checks with one read a report, however long that takes.
func TestShortCheckInterval(t *testing.T) {
	f := newFixture(t, func(c *upgrademonitor.Config) { c.CheckInterval = 1 })
	f.report(t, phases.Resumed, metav1.ConditionTrue)
	f.clientset.ClearActions()
	f.report(t, phases.Resumed, metav1.ConditionTrue)
	assert.Equal(t, []string{"get"}, f.requests())
	f.report(t, phases.Drained, metav1.ConditionUnknown)
	assert.Equal(t, []string{"get", "patch/status"}, f.requests())
}
