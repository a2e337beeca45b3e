package pool_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// TestFanOut counts the writes of a pool's status, each of which the API server sends to every daemon,
// while 50 nodes are updated at the same time, each for six minutes. docs/scale.md has the figures.
func TestFanOut(t *testing.T) {
	writes := map[time.Duration]int{}
	for _, interval := range []time.Duration{time.Second, pool.DefaultInterval} {
		ns, ms := workers(50)
		for _, m := range ms {
			waiting(m)
		}
		inBubble(t, func(t *testing.T, c *fakeCluster) {
			c.run(func(config *pool.Config) { config.Interval = interval })
			c.written("worker")
			begin := time.Now()
			c.updateTogether(len(ns))
			took := time.Since(begin)
			writes[interval] = c.written("worker")
			object, err := json.Marshal(c.pool("worker"))
			require.NoError(t, err)
			t.Logf("every %s: %d writes in %s, %d bytes each", interval, writes[interval], took, len(object))
			assert.LessOrEqual(t, writes[interval], int(took/interval)+1)
			assert.Equal(t, counts{50, 50, 50, 0, 0}, countsOf(c.pool("worker").Status))
			c.advance(time.Hour)
			assert.Zero(t, c.written("worker"))
		}, []*mcfgv1.MachineConfigPool{newPool("worker")}, ns, ms)
	}
	assert.Equal(t, []int{242, 55}, []int{writes[time.Second], writes[pool.DefaultInterval]})
}

// updateTogether updates the first n nodes, which reach a step one after the other, within half a minute. They are at
// each step for 45 seconds.
func (c *fakeCluster) updateTogether(n int) {
	steps := []phases.Phase{
		phases.UpdatePrepared, phases.Cordoned, phases.Drained, phases.AppliedFilesAndOS, phases.RebootedNode, phases.Resumed, phases.Uncordoned,
	}
	for at := range len(steps) + 1 {
		for i := range n {
			c.changeMCN(fmt.Sprintf("worker-%d", i), func(m *mcfgv1.MachineConfigNode) {
				now := metav1.Now()
				if at == len(steps) {
					configs(newConfig, newConfig, newConfig)(m)
					updated(m)
					return
				}
				if at == 0 {
					m.Spec.ConfigVersion.Desired = newConfig
					notUpdated(m)
				} else {
					m.Status.Conditions[len(m.Status.Conditions)-1].Status = metav1.ConditionTrue
				}
				m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{Type: string(steps[at]), Status: metav1.ConditionUnknown, LastTransitionTime: now})
			})
			c.advance(600 * time.Millisecond)
		}
		c.advance(15 * time.Second)
	}
}
