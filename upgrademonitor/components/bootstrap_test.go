package components_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestBootstrap of a new cluster is visible, and its record stays.
func TestBootstrap(t *testing.T) {
	inBubble(t, func(t *testing.T, m *memory) {
		p := m.operator(t)
		assert.Equal(t, "Starting", m.condition(t, operatorDegraded).Reason)
		assert.Equal(t, "The first sync has not completed", m.condition(t, bootstrap).Message)
		p.sync(errDaemons)
		pass(10 * time.Minute)
		assert.Equal(t, yes, m.condition(t, bootstrap).Status)
		assert.Equal(t, "BootstrapProgression", m.condition(t, bootstrap).Reason)
		assert.Equal(t, "The first sync is at OperatorSyncMCD", m.condition(t, bootstrap).Message)
		p.stop() // killed
		p = m.operator(t)
		pass(time.Minute)
		assert.Equal(t, "The first sync is at OperatorSyncMCD", m.condition(t, bootstrap).Message)
		pass(9 * time.Minute)
		p.sync(nil)
		pass(time.Hour)
		want := m.condition(t, bootstrap)
		assert.Equal(t, "Complete", want.Reason)
		assert.Regexp(t, `^Completed at \S+Z, after 20m0s; last error, in OperatorSyncMCD: timed out waiting for the daemons$`, want.Message)
		assert.LessOrEqual(t, m.writes(), 6)

		p.stop()
		p = m.operator(t)
		p.sync(errDaemons)
		pass(time.Hour)
		assert.Equal(t, want, m.condition(t, bootstrap), "for good")
	})
}

// TestWhenAClusterIsBootstrapping, according to the object.
func TestWhenAClusterIsBootstrapping(t *testing.T) {
	running := metav1.Condition{Type: bootstrap, Status: yes, Reason: "BootstrapProgression"}
	complete := metav1.Condition{Type: bootstrap, Status: no, Reason: "Complete"}
	other := metav1.Condition{Type: "BootImageUpdateDegraded", Status: no, Reason: "NA"}
	own := metav1.Condition{Type: operatorDegraded, Status: no, Reason: "AsExpected"}
	for name, tc := range map[string]struct {
		age  time.Duration
		list []metav1.Condition
		want metav1.ConditionStatus
	}{
		"a new cluster":                              {time.Minute, nil, yes},
		"a new cluster, with others' conditions":     {time.Minute, []metav1.Condition{other}, yes},
		"a clock that is behind the API server's":    {-5 * time.Minute, nil, yes},
		"a restart during a bootstrap of many hours": {5 * time.Hour, []metav1.Condition{running}, yes},
		"a restart after the bootstrap":              {10 * time.Minute, []metav1.Condition{complete}, no},
		"a restart after its condition was removed":  {10 * time.Minute, []metav1.Condition{own}, ""},
		"the first start on an older cluster":        {time.Hour, []metav1.Condition{other}, ""},
	} {
		inBubble(t, func(t *testing.T, m *memory) {
			m.create(tc.age, tc.list...)
			m.operator(t)
			pass(2 * time.Hour)
			list := m.conditions()
			i := slices.IndexFunc(list, func(c metav1.Condition) bool { return c.Type == bootstrap })
			if assert.Equal(t, tc.want != "", i >= 0, name) && i >= 0 {
				assert.Equal(t, tc.want, list[i].Status, name)
			}
		})
	}
}
