package components_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// maxHealthyRequest is that of a process without an error, and the room for the last errors.
const (
	maxHealthyRequest = 1000
	maxLastErrors     = 256
)

// TestAHealthyRequestIsSmall after an error of the operator and one of the daemons, which are resolved. Both are in it.
func TestAHealthyRequestIsSmall(t *testing.T) {
	daemonDegraded := typeOf(components.Daemon, components.Degraded)
	largest := 0
	for name, text := range components.Hostile {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				p := healthy(t, m)
				degraded, available := condition(daemonDegraded, yes), condition(daemonAvailable, yes)
				degraded.Reason, degraded.Message, available.Message = "SyncMCDFailed", text, text
				p.Begin(components.LongestState(), "worker").End(errors.New(text))
				require.NoError(t, p.Judge(components.Daemon, degraded, available))
				pass(time.Hour)
				before := m.writes()
				p.Begin(components.LongestState(), "worker").End(nil)
				require.NoError(t, p.Judge(components.Daemon, condition(daemonDegraded, no)))
				pass(time.Hour)
				requests := m.requestsSince(before)
				require.NotEmpty(t, requests)
				last := requests[len(requests)-1]
				assert.LessOrEqual(t, len(last), maxHealthyRequest+maxLastErrors)
				largest = max(largest, len(last))
				for c, state := range map[components.Component]components.State{components.Operator: components.LongestState(), components.Daemon: components.MCDSync} {
					fault, ok := components.MostRecentError(m.conditions())
					assert.True(t, ok)
					found := m.condition(t, typeOf(c, components.Degraded))
					assert.Equal(t, no, found.Status)
					assert.Contains(t, found.Message, ", in "+string(state)+": ")
					assert.True(t, fault.Resolved)
				}

				p.stop()
				before = m.writes()
				p = m.start(t, components.Operator)
				p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
				require.NoError(t, p.Judge(components.Daemon, condition(daemonDegraded, no), available))
				pass(time.Hour)
				assert.Equal(t, before, m.writes(), "a restart truncates nothing once more")
			})
		})
	}
	t.Logf("at most %d bytes", largest)
}
