package components_test

import (
	"slices"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// TestBootstrap of a new cluster is visible, and what happened in it stays.
func TestBootstrap(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		created := time.Now()
		isNew := func(mc *operatorv1.MachineConfiguration) *operatorv1.MachineConfiguration {
			mc.CreationTimestamp = metav1.NewTime(created)
			return mc
		}
		m.change(isNew)
		p := m.start(t, components.Operator)
		assert.Equal(t, "Starting", m.condition(t, operatorDegraded).Reason)
		assert.Equal(t, "The first sync is not done", m.condition(t, bootstrap).Message)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
		pass(10 * time.Minute)
		assert.Equal(t, yes, m.condition(t, bootstrap).Status)
		assert.Equal(t, "BootstrapProgression", m.condition(t, bootstrap).Reason)
		assert.Equal(t, "The first sync is at OperatorSyncMCD", m.condition(t, bootstrap).Message)
		p.stop() // killed
		p = m.start(t, components.Operator)
		pass(time.Minute)
		assert.Equal(t, "The first sync is at OperatorSyncMCD", m.condition(t, bootstrap).Message)
		pass(9 * time.Minute)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		pass(time.Hour)
		want := m.condition(t, bootstrap)
		assert.Equal(t, "Complete", want.Reason)
		assert.Regexp(t, `^Bootstrap completed at \S+Z, after 20m0s; last error: OperatorSyncMCD: timed out waiting for the daemons$`, want.Message)
		assert.LessOrEqual(t, m.writes(), 6)

		p.stop()
		p = m.start(t, components.Operator)
		p.sync(components.OperatorSync, components.OperatorSyncMCD, errDaemons)
		pass(time.Hour)
		assert.Equal(t, want, m.condition(t, bootstrap), "for good")

		p.stop()
		m.create()
		m.change(isNew) // more than an hour ago
		m.start(t, components.Operator).sync(components.OperatorSync, components.OperatorSyncMCD, nil)
		pass(time.Hour)
		assert.Len(t, m.conditions(), 2, "there is none on an older cluster")
	})
}

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
		want metav1.ConditionStatus
	}{
		"a new cluster":                               {time.Minute, nil, yes},
		"a new cluster, with others' conditions":      {time.Minute, []metav1.Condition{other}, yes},
		"a clock that is behind the API server's":     {-5 * time.Minute, nil, yes},
		"a restart during the bootstrap":              {10 * time.Minute, []metav1.Condition{running}, yes},
		"a restart during a bootstrap of many hours":  {5 * time.Hour, []metav1.Condition{running}, yes},
		"a restart after the bootstrap":               {10 * time.Minute, []metav1.Condition{complete}, no},
		"a restart after its condition was removed":   {10 * time.Minute, []metav1.Condition{condition(operatorDegraded, no)}, ""},
		"the first start on a cluster that is older":  {time.Hour, []metav1.Condition{other}, ""},
		"an update of others has removed them":        {300 * 24 * time.Hour, nil, ""},
		"an update of others, and of some conditions": {300 * 24 * time.Hour, []metav1.Condition{condition(daemonAvailable, yes)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, m *memory) {
				m.created(tc.age, tc.list...)
				m.start(t, components.Operator)
				pass(time.Hour)
				i := slices.IndexFunc(m.conditions(), func(c metav1.Condition) bool { return c.Type == bootstrap })
				if tc.want == "" {
					assert.Negative(t, i)
					return
				}
				assert.Equal(t, tc.want, m.conditions()[i].Status)
			})
		})
	}
}
