package e2e

import (
	"context"
	"errors"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// outages has the ways in which the servers can fail.
var outages = map[string]struct {
	start, end func(context.Context, *cluster.Cluster) error
}{
	"hung": {
		start: func(_ context.Context, c *cluster.Cluster) error { return c.PauseAPIServer() },
		end:   func(_ context.Context, c *cluster.Cluster) error { return c.ResumeAPIServer() },
	},
	"gone": {
		start: func(_ context.Context, c *cluster.Cluster) error { return c.StopAPIServer() },
		end:   func(ctx context.Context, c *cluster.Cluster) error { return c.StartAPIServer(ctx) },
	},
	"without-etcd": {
		start: func(_ context.Context, c *cluster.Cluster) error { return c.StopEtcd() },
		end: func(ctx context.Context, c *cluster.Cluster) error {
			return errors.Join(c.StartEtcd(ctx), c.WaitReady(ctx))
		},
	},
}

// After an outage in the middle of an update, the reports of the daemon are written, and the controllers of nodes and pools
// continue.
func TestReportsAreWrittenAfterAnOutage(t *testing.T) {
	f := newFleet(t)
	rollout, loop := f.run(), f.runPool()
	machines := int32(0)
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			w := f.node(name, "worker", oldConfig)
			f.eventually(name, exists)
			w.reportUpdated()
			w.node = f.change(name, "desiredConfig="+newConfig)
			m, _ := w.monitor("worker", func(c *upgrademonitor.Config) { c.Timeout = time.Second })
			for _, c := range rebootCalls[:4] {
				c.queue(t, m)
			}
			require.NoError(t, m.Flush(t.Context()))
			require.NoError(t, outage.start(t.Context(), f.cluster))
			for _, c := range rebootCalls[4:9] {
				c.queue(t, m)
			}
			assert.True(t, isPending(m))
			require.NoError(t, outage.end(t.Context(), f.cluster))
			require.NoError(t, m.Flush(t.Context()))
			last := rebootCalls[8]
			assert.Equal(t, last.status, w.status(last.phase))

			w.node = f.change(name, "currentConfig="+newConfig)
			for _, c := range rebootCalls[9:] {
				c.queue(t, m)
			}
			require.NoError(t, m.Flush(t.Context()))
			watchFrom(t, w).checkEnded()
			f.node("new-"+name, "worker", oldConfig)
			f.eventually("new-"+name, hasSpec("worker", oldConfig))
			machines += 2
			f.eventuallyPool("worker", func(p *mcfgv1.MachineConfigPool) bool { return p.Status.MachineCount == machines })
		})
	}
	rollout.stop()
	loop.stop()
	f.checkRestart()
}
