package upgrademonitor_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
)

// raceAllocations is what the race detector costs.
var raceAllocations float64

// The answers are as the API server gives them, see newCanned.
func TestAllocations(t *testing.T) {
	node := annotated(oldConfig, oldConfig)
	m := monitorOn(t, newCanned(t), &node)
	causes := [2]error{io.ErrUnexpectedEOF, nil}
	i := 0
	assert.LessOrEqual(t, testing.AllocsPerRun(200, func() {
		m.ReportDegraded(t.Context(), causes[i%2])
		i++
	}), 200+raceAllocations, "of a changed status")
	assert.LessOrEqual(t, testing.AllocsPerRun(200, func() {
		require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "Updated", "Node worker-0 Updated", metav1.ConditionTrue))
	}), 5+raceAllocations, "of a repeat")
}

// A whole reboot update: 15 writes of the status, one of the spec, and one read.
func TestRequestsOfAnUpdate(t *testing.T) {
	node, server, count := annotated(oldConfig, oldConfig), newServer(t), map[string]int{}
	server.Fault = func(r *http.Request) (*http.Response, error) {
		count[r.Method+r.URL.Path[len("/apis/machineconfiguration.openshift.io/v1/machineconfignodes/worker-0"):]]++
		return nil, nil
	}
	rebootUpdate(t, monitorOn(t, server, &node), &node)
	assert.Equal(t, map[string]int{"GET": 1, "PATCH": 1, "PATCH/status": 15}, count)
}

// A repeat of what is last in the queue gives it its texts, and takes no room.
func TestChattyCallerInAnOutage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFixture(t)
		f.reportUpdated(t)
		down := f.outage(errDown)
		for i := range 400 {
			require.NoError(t, f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Drained, "Drained", fmt.Sprint("evicting, ", i), metav1.ConditionUnknown))
		}
		down.Store(false)
		f.requests()
		require.NoError(t, f.Flush(t.Context()))
		assert.Len(t, f.requests(), 2, "a read and a write")
		assert.Equal(t, "evicting, 399", f.condition(t, phases.Drained).Message)
	})
}
