package upgrademonitor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// The target of an update is withdrawn in the drain, and the daemon reports that the node is updated: spec,
// status and Node agree.
func TestATargetThatIsWithdrawn(t *testing.T) {
	f := newUpdated(t)
	f.starts(t, newConfig)
	f.report(t, phases.Drained, metav1.ConditionUnknown)
	assert.Equal(t, newConfig, f.desired())

	f.annotate(oldConfig, oldConfig)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	o := f.object()
	assert.Equal(t, oldConfig, f.desired())
	assert.Equal(t, oldConfig, o.Status.ConfigVersion.Desired)
	assert.Equal(t, o.Generation, o.Status.ObservedGeneration)
}
