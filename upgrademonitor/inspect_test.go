package upgrademonitor_test

import (
	"testing"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/internal/inspect"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

type inspectedClient struct {
	mcfgclientset.Interface
	inspect func(inspect.State)
}

func (c inspectedClient) Inspect(s inspect.State) { c.inspect(s) }

// A status that the object has lost is never taken to be there: a report that is made meanwhile
// would be a repeat.
func TestLostStatusIsNotTakenToBeThere(t *testing.T) {
	var f *fixture
	lost := 0
	f = newFixture(t, func(c *upgrademonitor.Config) {
		c.CheckInterval = time.Nanosecond
		c.Client = inspectedClient{c.Client, func(s inspect.State) {
			stored, err := f.clientset.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), nodeName, metav1.GetOptions{})
			if err != nil || len(stored.Status.Conditions) > 0 {
				return
			}
			assert.Equal(t, len(s.Object.Status.Conditions) > 0, s.StatusLost)
			if s.StatusLost {
				lost++
			}
		}}
	})
	f.reportUpdated(t)
	f.delete(t)
	f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
	assert.Positive(t, lost)

	f.delete(t)
	lost = 0
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.Positive(t, lost)
	assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.NodeDegraded).Status)
}
