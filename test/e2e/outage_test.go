package e2e

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// outages are failures of the real servers.
var outages = map[string]struct {
	begin, end func(context.Context, *cluster.Cluster) error
}{
	"hung": {
		begin: func(_ context.Context, c *cluster.Cluster) error { return c.PauseAPIServer() },
		end:   func(_ context.Context, c *cluster.Cluster) error { return c.ResumeAPIServer() },
	},
	"gone": {
		begin: func(_ context.Context, c *cluster.Cluster) error { return c.StopAPIServer() },
		end:   func(ctx context.Context, c *cluster.Cluster) error { return c.StartAPIServer(ctx) },
	},
	"etcd down": {
		begin: func(_ context.Context, c *cluster.Cluster) error { return c.StopEtcd() },
		end: func(ctx context.Context, c *cluster.Cluster) error {
			return errors.Join(c.StartEtcd(ctx), c.WaitReady(ctx))
		},
	},
}

// impatient is a Monitor whose calls return soon when the server is down.
func (w *testNode) impatient() (*upgrademonitor.Monitor, *transport) {
	w.t.Helper()
	return w.build(func(c *upgrademonitor.Config) { c.Timeout = time.Second })
}

// undisturbed returns the events of an update without faults.
func undisturbed(t *testing.T) []string {
	t.Helper()
	w := newTestNode(t, "undisturbed-"+dashed(t.Name()))
	w.reportUpdated()
	h := watchFrom(t, w)
	m, _ := w.monitor("master")
	w.rebootUpdate(m)
	h.catchUp()
	return h.observed()
}

// writeSpec makes the spec call until it succeeds: for 10 s after a failure it returns that at once.
func writeSpec(t *testing.T, m *upgrademonitor.Monitor) {
	t.Helper()
	eventually(t, func() bool { return m.GenerateAndApplyMachineConfigNodeSpec(t.Context()) == nil })
}

// The real servers fail at every fourth step.
func TestAWatcherSeesTheSameUpdateDespiteFailingServers(t *testing.T) {
	want := undisturbed(t)
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			w := newTestNode(t, "server-"+dashed(name))
			w.reportUpdated()
			h := watchFrom(t, w)
			m, requests := w.impatient()
			w.reboot(func(i int, c call) {
				if i%4 != 0 {
					c.make(t, m)
					h.catchUp() // before the watch ends with the server
					return
				}
				require.NoError(t, outage.begin(t.Context(), standard))
				if err := c.try(t.Context(), m); c.phase != "" {
					require.NoError(t, err)
					assert.True(t, isPending(m), c)
				}
				requests.fail(faults["connection refused"]) // until the watch has resumed
				requests.quiet()
				require.NoError(t, outage.end(t.Context(), standard))
				if name != "hung" {
					h.resume()
				}
				requests.fail(nil)
				writeSpec(t, m)
				require.NoError(t, m.Flush(t.Context()))
				h.catchUp()
			})
			h.check()
			h.checkEnded()
			assert.Equal(t, conditionsOf(want), conditionsOf(h.observed()))
		})
	}
}

// conditionsOf returns the conditions of events, each list once: in a long outage the versions follow
// the Node in a write of their own.
func conditionsOf(events []string) []string {
	var lists []string
	for _, event := range events {
		_, list, _ := strings.Cut(event, "} ")
		lists = append(lists, list)
	}
	return slices.Compact(lists)
}
