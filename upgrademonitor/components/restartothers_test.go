package components_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestARestartKeepsTheOtherErrors has an operator start again while pools a, b and c fail. Only the newest error,
// that of c, has been published with its text.
func TestARestartKeepsTheOtherErrors(t *testing.T) {
	const all = "c: timed out waiting for the daemons; and 2 more errors"
	for name, tc := range map[string]struct {
		failed, succeeded []string
		sync              bool // succeeds
		status            metav1.ConditionStatus
		message           string
		later             metav1.ConditionStatus // after ten minutes
		writes            int
	}{
		"nothing is reported":       {status: yes, message: all, later: no, writes: 1},
		"all fail again":            {failed: []string{"a", "b", "c"}, status: yes, message: all, later: yes},
		"all, the newest first":     {failed: []string{"c", "b", "a"}, status: yes, message: all, later: yes},
		"two fail again":            {failed: []string{"a", "b"}, status: yes, message: all, later: yes, writes: 1},
		"the newest succeeds":       {succeeded: []string{"c"}, status: yes, message: all, later: no, writes: 1},
		"the newest, two fail":      {succeeded: []string{"c"}, failed: []string{"a", "b"}, status: yes, message: "a: timed out waiting for the daemons; and 1 more error", later: yes, writes: 1},
		"an error that is new":      {failed: []string{"a", "b", "c", "d"}, status: yes, message: all, later: yes, writes: 1},
		"all succeed, and the sync": {succeeded: []string{"a", "b", "c"}, sync: true, status: no, message: "Last error, resolved 2000-01-01T04:00:00Z, in OperatorSyncMCP: c: timed out waiting for the daemons", later: no, writes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				p := healthy(t, m)
				for _, pool := range []string{"a", "b", "c"} {
					p.Begin(components.OperatorSyncMCP, pool).End(errDaemons)
					pass(time.Second)
				}
				pass(time.Hour - 3*time.Second)
				require.Equal(t, all, m.condition(t, operatorDegraded).Message)
				p.stop()
				before := m.writes()
				p = m.start(t, components.Operator)
				for _, pool := range tc.succeeded {
					p.Begin(components.OperatorSyncMCP, pool).End(nil)
					pass(0)
					assert.True(t, tc.sync || m.condition(t, operatorDegraded).Status == yes, "not resolved in between")
				}
				for _, pool := range tc.failed {
					p.Begin(components.OperatorSyncMCP, pool).End(errDaemons)
					pass(0)
					assert.Equal(t, yes, m.condition(t, operatorDegraded).Status, "not resolved in between")
				}
				if tc.sync {
					p.Begin(components.OperatorSync, "").End(nil)
				}
				pass(time.Minute)
				assert.Equal(t, tc.status, m.condition(t, operatorDegraded).Status)
				assert.Equal(t, tc.message, m.condition(t, operatorDegraded).Message)
				pass(10 * time.Minute)
				assert.Equal(t, tc.later, m.condition(t, operatorDegraded).Status)
				pass(time.Hour)
				assert.Equal(t, tc.writes, m.writes()-before)
			})
		})
	}
}
