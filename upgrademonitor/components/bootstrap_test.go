package components_test

import (
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// created gives the object an age, and conditions.
func (m *memory) created(ago time.Duration, list ...metav1.Condition) {
	m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
		mc.CreationTimestamp, mc.Status.Conditions = metav1.NewTime(time.Now().Add(-ago)), list
		return mc
	})
}

// TestWhenAClusterIsBootstrapping, according to the object.
func TestWhenAClusterIsBootstrapping(t *testing.T) {
	running := metav1.Condition{Type: bootstrap, Status: yes, Reason: "BootstrapProgression"}
	complete := metav1.Condition{Type: bootstrap, Status: no, Reason: "Complete"}
	other := metav1.Condition{Type: "BootImageUpdateDegraded", Status: no, Reason: "NA"}
	for name, tc := range map[string]struct {
		age  time.Duration
		list []metav1.Condition
		want bool
	}{
		"a new cluster":                               {time.Minute, nil, true},
		"a new cluster, with others' conditions":      {time.Minute, []metav1.Condition{other}, true},
		"a clock that is behind the API server's":     {-5 * time.Minute, nil, true},
		"a restart during the bootstrap":              {10 * time.Minute, []metav1.Condition{running}, true},
		"a restart during a bootstrap of many hours":  {5 * time.Hour, []metav1.Condition{running}, true},
		"a restart after the bootstrap":               {10 * time.Minute, []metav1.Condition{complete}, false},
		"a restart after its condition was removed":   {10 * time.Minute, []metav1.Condition{condition(operatorDegraded, no)}, false},
		"the first start on a cluster that is older":  {time.Hour, []metav1.Condition{other}, false},
		"an update of others has removed them":        {300 * 24 * time.Hour, nil, false},
		"an update of others, and of some conditions": {300 * 24 * time.Hour, []metav1.Condition{condition(daemonAvailable, yes)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				m.created(tc.age, tc.list...)
				p := m.start(t, components.Operator)
				pass(time.Hour)
				find := func() (metav1.ConditionStatus, string) {
					for _, c := range m.conditions() {
						if c.Type == bootstrap {
							return c.Status, c.Reason
						}
					}
					return "", ""
				}
				status, reason := find()
				if !tc.want {
					assert.Empty(t, status)
					return
				}
				assert.Equal(t, yes, status)
				assert.Equal(t, "BootstrapProgression", reason)
				p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
				pass(24 * time.Hour)
				status, reason = find()
				assert.Equal(t, no, status)
				assert.Equal(t, "Complete", reason, "for as long as this process runs")
			})
		})
	}
}

// TestARestartAfterAStaleUpdate that has removed all conditions of a cluster in use.
func TestARestartAfterAStaleUpdate(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		m.created(0)
		p := healthy(t, m)
		want := m.conditions()
		p.stop()
		m.change(func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
			mc.Status.Conditions = nil
			return mc
		})
		before := m.writes()
		p = m.start(t, components.Operator)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		pass(time.Hour)
		for _, body := range m.requestsSince(before) {
			assert.NotContains(t, body, bootstrap)
		}
		require.NotEmpty(t, m.conditions())
		assert.Equal(t, want[0].Type, m.conditions()[0].Type)
	})
}
