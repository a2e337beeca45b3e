package progress_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// TestDegradedAtEachRetry: the daemon changes the time of NodeDegraded at each retry.
func TestDegradedAtEachRetry(t *testing.T) {
	var h progress.History
	look := func(h *progress.History, status metav1.ConditionStatus, minute float64) progress.Pool {
		m := mcn(withDesired(configB), is(phases.Updated, no, 1), is(phases.Drained, running, 2), is(phases.NodeDegraded, status, minute, "disk full"))
		h.Observe(m)
		return progress.Pools([]*mcfgv1.MachineConfigPool{worker("")}, []progress.Node{progress.FromMachineConfigNode(m)}, h, at(minute+1), progress.Limits{})[0]
	}
	for _, test := range []struct {
		status metav1.ConditionStatus
		minute float64
		since  float64
	}{{yes, 3, 3}, {yes, 5, 3}, {yes, 8, 3}, {no, 9, 0}, {yes, 10, 10}, {yes, 12, 10}} {
		p := look(&h, test.status, test.minute)
		if test.status == no {
			assert.Zero(t, p.Stuck)
			assert.Zero(t, p.Nodes[0].Degraded)
			continue
		}
		require.Equal(t, 1, p.Stuck)
		assert.Equal(t, at(test.since), p.Nodes[0].Degraded)
		assert.Equal(t, time.Duration(test.minute+1-test.since)*time.Minute, p.StuckNodes()[0].For)
	}
	h.Forget("worker-0")
	assert.Equal(t, at(13), look(&h, yes, 13).Nodes[0].Degraded)
	assert.Equal(t, at(14), look(nil, yes, 14).Nodes[0].Degraded)
}
