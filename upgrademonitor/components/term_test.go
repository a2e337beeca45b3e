package components_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// again runs a stopped process, which leads once more.
func (p *process) again() { p.runIn(p.t.Context()) }

func (p *process) runIn(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- p.Run(ctx) }()
	p.stop = sync.OnceFunc(func() {
		cancel()
		assert.NoError(p.t, <-ended)
	})
	p.t.Cleanup(p.stop)
	synctest.Wait()
}

// TestLeadingAgain has another process lead between two terms of one, which keeps to what that published.
func TestLeadingAgain(t *testing.T) {
	daemonDegraded := typeOf(components.Daemon, components.Degraded)
	for name, tc := range map[string]struct {
		first, other func(t *testing.T, p *process)
	}{
		"an error of the other": {
			other: func(_ *testing.T, p *process) {
				p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
			},
		},
		"an error that the other resolved": {
			first: func(_ *testing.T, p *process) {
				p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
			},
			other: func(_ *testing.T, p *process) { p.sync(components.OperatorSync, components.OperatorSyncMCD, nil) },
		},
		"a judgement of the other": {
			first: func(t *testing.T, p *process) {
				require.NoError(t, p.Judge(components.Daemon, condition(daemonAvailable, yes)))
			},
			other: func(t *testing.T, p *process) {
				require.NoError(t, p.Judge(components.Daemon, condition(daemonAvailable, no)))
			},
		},
		"the last error of the other": {
			first: func(_ *testing.T, p *process) {
				p.Begin(components.OperatorSyncMCP, "").End(errDaemons)
				pass(time.Hour)
				p.Begin(components.OperatorSyncMCP, "").End(nil)
			},
			other: func(t *testing.T, p *process) {
				p.Begin(components.OperatorSyncMCN, "").End(errDaemons)
				require.NoError(t, p.Judge(components.Daemon, condition(daemonDegraded, yes)))
				pass(time.Hour)
				p.Begin(components.OperatorSyncMCN, "").End(nil)
				require.NoError(t, p.Judge(components.Daemon, condition(daemonDegraded, no)))
			},
		},
		"nothing": {},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				p := healthy(t, m)
				during := func(do func(*testing.T, *process), by *process) {
					if do != nil {
						do(t, by)
					}
					pass(time.Hour)
					by.stop()
				}
				during(tc.first, p)
				pass(time.Minute)
				other := m.start(t, components.Operator)
				during(tc.other, other)
				want, before := m.conditions(), m.writes()
				p.again()
				pass(time.Minute)
				assert.Equal(t, want, m.conditions())
				assert.Equal(t, before, m.writes())
			})
		})
	}
}

// TestBetweenTwoTerms has a step fail before Run is called again: that is not forgotten.
func TestBetweenTwoTerms(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		p.stop()
		pass(time.Minute)
		p.Begin(components.OperatorSyncMCD, "").End(errDaemons)
		p.again()
		pass(5 * time.Minute)
		assert.Equal(t, metav1.ConditionTrue, m.condition(t, operatorDegraded).Status)
	})
}

// TestFlushAfterRun publishes what happened in the term that has just ended.
func TestFlushAfterRun(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		p.Begin(components.OperatorSyncMCD, "").End(errDaemons)
		pass(2*time.Minute + time.Second)
		require.Equal(t, metav1.ConditionTrue, m.condition(t, operatorDegraded).Status)
		p.Begin(components.OperatorSyncMCD, "").End(nil) // the pace delays it
		p.stop()
		require.NoError(t, p.Flush(t.Context()))
		assert.Contains(t, m.condition(t, operatorDegraded).Message, errDaemons.Error())
		assert.Equal(t, metav1.ConditionFalse, m.condition(t, operatorDegraded).Status)
	})
}

// lags has the informer receive no more events, or again those from now on.
func (m *memory) lags(lags bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lag = lags
}

// TestLeadingAgainBehindTheInformer has the informer miss the last write of the first term until after
// the second has begun.
func TestLeadingAgainBehindTheInformer(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		m.lags(true)
		p.Begin(components.OperatorSyncMCD, "").End(errDaemons)
		pass(time.Hour)
		p.stop()
		p.again()
		pass(time.Minute)
		m.lags(false)
		m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration { return mc })
		pass(time.Minute)
		assert.Equal(t, metav1.ConditionTrue, m.condition(t, operatorDegraded).Status)
	})
}
