package components_test

import (
	"fmt"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// hourly asserts the writes of a process that always has something to write.
func hourly(t *testing.T, m *memory, step func(n int)) {
	t.Helper()
	began, last := time.Now(), m.writes()
	var hours []int
	for n := 0; time.Since(began) < 6*time.Hour; n++ {
		step(n)
		for len(hours) < int(time.Since(began).Hours()) {
			hours = append(hours, m.writes()-last)
			last = m.writes()
		}
	}
	t.Logf("writes in each hour: %v", hours)
	assert.LessOrEqual(t, hours[0], 10)
	for _, writes := range hours[1:] {
		assert.LessOrEqual(t, writes, 6)
	}
}

func TestEndlessFlapping(t *testing.T) {
	for name, period := range map[string]time.Duration{"as fast as Persist lets it": 125 * time.Second, "11 minutes": 11 * time.Minute, "21 minutes": 21 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				p := healthy(t, m)
				hourly(t, m, func(int) {
					p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
					pass(period - time.Second)
					p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
					pass(time.Second)
				})
			})
		})
	}
}

// TestEverythingFlaps: errors whose text always changes, the daemons, and what other processes write.
func TestEverythingFlaps(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		hourly(t, m, func(n int) {
			p.sync(components.OperatorSync, components.OperatorSyncMCD, fmt.Errorf("attempt %d", n))
			status := no
			if n%10 < 5 {
				status = yes
			}
			require.NoError(t, p.Judge(components.Daemon, condition(typeOf(components.Daemon, components.Degraded), status)))
			if n%7 == 0 {
				m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
					mc.Status.Conditions = nil
					return mc
				})
			}
			pass(30 * time.Second)
		})
	})
}
