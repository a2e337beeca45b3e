package components_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestConcurrentCalls of many goroutines, while Run writes. What they leave unresolved is published.
func TestConcurrentCalls(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		daemonDegraded := typeOf(components.Daemon, components.Degraded)
		var calls sync.WaitGroup
		for g := range 8 {
			calls.Go(func() {
				key := fmt.Sprint("pool-", g)
				for n := range 200 {
					pass := p.Begin(components.OperatorSyncMCP, key)
					p.Begin(components.OperatorSyncMCD, "").End(fmt.Errorf("attempt %d of %d", n, g))
					assert.NoError(t, p.Track(t.Context(), components.OperatorSyncMCN, key, func(context.Context) error { return nil }))
					pass.End(errors.New(key))
					p.Forget(components.OperatorSyncMCN, key)
					assert.NoError(t, p.Judge(components.Daemon, condition(daemonDegraded, no)))
					if n%50 == 0 {
						assert.NoError(t, p.Flush(t.Context()))
						<-time.After(time.Minute)
					}
				}
			})
		}
		calls.Wait()
		p.Begin(components.OperatorSyncMCD, "").End(nil)
		for g := 1; g < 8; g++ {
			p.Begin(components.OperatorSyncMCP, fmt.Sprint("pool-", g)).End(nil)
		}
		pass(time.Hour)
		assert.Equal(t, yes, m.condition(t, operatorDegraded).Status)
		assert.Equal(t, "pool-0: pool-0", m.condition(t, operatorDegraded).Message)
		p.Begin(components.OperatorSyncMCP, "pool-0").End(nil)
		pass(time.Hour)
		assert.Equal(t, no, m.condition(t, operatorDegraded).Status)
	})
}
