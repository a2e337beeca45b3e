package pool_test

import (
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"k8s.io/client-go/tools/record"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// TestEvents: an update is announced once when it begins and once when it is complete, also across a
// restart.
func TestEvents(t *testing.T) {
	ns, ms := workers(2)
	inBubble(t, func(t *testing.T, c *fakeCluster) {
		recorder := record.NewFakeRecorder(100)
		run := func() func() {
			_, stop := c.run(func(config *pool.Config) { config.Recorder = recorder })
			return stop
		}
		recorded := func() string {
			c.advance(time.Minute)
			var all []string
			for len(recorder.Events) > 0 {
				all = append(all, <-recorder.Events)
			}
			return strings.Join(all, "; ")
		}
		order := func(config string) {
			c.changePool("worker", func(p *mcfgv1.MachineConfigPool) { p.Spec.Configuration.Name = config })
		}
		has := func(config string) {
			for _, name := range []string{"worker-0", "worker-1"} {
				c.changeMCN(name, configs(config, config, config))
			}
		}
		stop := run()
		assert.Equal(t, "Normal Completed Pool worker has completed update to MachineConfig rendered-worker-bbb", recorded())
		c.changeMCN("worker-0", updating)
		c.advance(time.Minute)
		c.changeMCN("worker-0", updated)
		assert.Empty(t, recorded(), "it was updated again to the same target")

		order("rendered-worker-ccc")
		assert.Equal(t, "Normal Updating Pool worker now targeting MachineConfig rendered-worker-ccc", recorded())
		c.changeMCN("worker-0", configs("rendered-worker-ccc", "rendered-worker-ccc", "rendered-worker-ccc"))
		assert.Empty(t, recorded(), "the update goes on")
		stop()
		stop = run()
		c.changeMCN("worker-1", degraded)
		assert.Empty(t, recorded(), "announced before the restart")
		c.changeMCN("worker-1", withCondition(mcfgv1.MachineConfigNodeNodeDegraded, "False", ""))
		has("rendered-worker-ccc")
		assert.Equal(t, "Normal Completed Pool worker has completed update to MachineConfig rendered-worker-ccc", recorded())

		order(newConfig)
		assert.Equal(t, "Normal Updating Pool worker now targeting MachineConfig rendered-worker-bbb", recorded(), "back again")
		order("rendered-worker-ddd")
		assert.Equal(t, "Normal Updating Pool worker now targeting MachineConfig rendered-worker-ddd", recorded(), "before it was complete")
		stop()
		order(newConfig)
		has(newConfig)
		run()
		assert.Equal(t, "Normal Completed Pool worker has completed update to MachineConfig rendered-worker-bbb", recorded(), "while no process ran")
	}, []*mcfgv1.MachineConfigPool{newPool("worker")}, ns, ms)
}
