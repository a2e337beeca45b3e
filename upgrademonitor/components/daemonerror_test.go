package components_test

import (
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestTheLastErrorOfTheDaemons has a node degrade and recover.
func TestTheLastErrorOfTheDaemons(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := healthy(t, m)
		daemonDegraded := typeOf(components.Daemon, components.Degraded)
		before := m.writes()
		judge := func(degraded string) {
			nodes := []*mcfgv1.MachineConfigNode{mcn("a", yes, degraded)}
			require.NoError(t, p.Judge(components.Daemon, components.Daemons(daemonSet(), nodes, time.Now())...))
		}
		judge("disk full")
		pass(time.Hour)
		assert.Equal(t, metav1.ConditionTrue, m.condition(t, daemonDegraded).Status)

		judge("")
		want := "Last error, resolved " + time.Now().UTC().Format(time.RFC3339) + ", in SyncMCD: 1 node is degraded: a: disk full"
		m.failWith(apierrors.NewServiceUnavailable("down"))
		pass(time.Hour)
		m.failWith(nil)
		pass(time.Hour)
		assert.Equal(t, metav1.ConditionFalse, m.condition(t, daemonDegraded).Status)
		assert.Equal(t, want, m.condition(t, daemonDegraded).Message)
		fault, ok := components.MostRecentError(m.conditions())
		assert.True(t, ok)
		assert.True(t, fault.Resolved)
		assert.Equal(t, components.Daemon, fault.Component)
		assert.Equal(t, components.MCDSync, fault.State)

		writes := m.writes()
		for range 60 {
			judge("")
			pass(time.Minute)
		}
		p.stop()
		p = m.start(t, components.Operator)
		judge("")
		pass(time.Hour)
		assert.Equal(t, want, m.condition(t, daemonDegraded).Message, "kept, after a restart too")
		assert.Equal(t, writes, m.writes(), "and nothing is written")
		assert.Greater(t, writes, before)

		own := condition(daemonDegraded, metav1.ConditionFalse)
		own.Message = "All nodes are well"
		require.NoError(t, p.Judge(components.Daemon, own))
		pass(time.Hour)
		assert.Equal(t, own.Message, m.condition(t, daemonDegraded).Message, "unless the judgement has a message")
	})
}

// TestTheLastErrorOutlastsATimeWithoutData has the daemons' state be unknown for longer than Persist,
// before or after the error is over.
func TestTheLastErrorOutlastsATimeWithoutData(t *testing.T) {
	daemonDegraded := typeOf(components.Daemon, components.Degraded)
	for name, tc := range map[string]struct{ over, restart bool }{
		"resolved before":                    {over: true},
		"resolved meanwhile":                 {},
		"resolved before, and a restart":     {over: true, restart: true},
		"resolved meanwhile after a restart": {restart: true},
	} {
		over := tc.over
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				p := healthy(t, m)
				judge := func(mcns ...*mcfgv1.MachineConfigNode) {
					require.NoError(t, p.Judge(components.Daemon, components.Daemons(daemonSet(), mcns, time.Now())...))
					pass(time.Hour)
				}
				judge(mcn("a", yes, "disk full"))
				since, resolved := m.condition(t, daemonDegraded).LastTransitionTime.UTC(), time.Now().UTC()
				if over {
					judge(mcn("a", yes, ""))
				}
				judge()
				assert.Equal(t, "NoData", m.condition(t, daemonDegraded).Reason)
				fault, ok := components.MostRecentError(m.conditions())
				assert.True(t, ok)
				assert.Equal(t, components.Fault{Component: components.Daemon, State: components.MCDSync, Message: "1 node is degraded: a: disk full", Since: fault.Since, Resolved: over}, fault)
				if over {
					assert.Equal(t, resolved.Unix(), fault.Since.Unix())
				} else {
					assert.Equal(t, since.Unix(), fault.Since.Unix())
				}
				if tc.restart {
					before := m.writes()
					p.stop()
					p = m.start(t, components.Operator)
					p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
					pass(time.Hour)
					judge()
					assert.Equal(t, before, m.writes())
				}
				if !over {
					resolved = time.Now().UTC()
				}
				judge(mcn("a", yes, ""))
				want := "Last error, resolved " + resolved.Format(time.RFC3339) + ", in SyncMCD: 1 node is degraded: a: disk full"
				assert.Equal(t, want, m.condition(t, daemonDegraded).Message)
				before := m.writes()
				judge(mcn("a", yes, ""))
				assert.Equal(t, before, m.writes())
			})
		})
	}
}
