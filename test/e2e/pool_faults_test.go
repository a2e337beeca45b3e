package e2e

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPoolUnderFaults: writes fail, with each fault, while a node changes. Afterwards the status
// is up to date.
func TestPoolUnderFaults(t *testing.T) {
	w := newPoolFixture(t, "pool-under-faults", 1)
	counted, stop := w.control()
	m, _ := w.nodes[0].monitor(w.name)
	for i, name := range slices.Sorted(maps.Keys(injected)) {
		hit := make(chan struct{}, 1)
		w.faults.set(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
			select {
			case hit <- struct{}{}:
			default:
			}
			return injected[name](request, next)
		})
		failure := fmt.Sprintf("failure %d", i)
		m.ReportDegraded(t.Context(), errors.New(failure))
		<-hit
		w.faults.set(nil)
		w.until(func(s mcfgv1.MachineConfigPoolStatus) bool {
			return hasTrueCondition(s, mcfgv1.MachineConfigPoolNodeDegraded, failure)
		})
	}
	stop()
	t.Logf("%s", counted)
}

// TestPoolWithoutServers stops the servers: once they are back, the status includes what the nodes
// reported before and after the outage.
func TestPoolWithoutServers(t *testing.T) {
	w := newPoolFixture(t, "pool-without-servers", 1)
	_, stop := w.control()
	m, _ := w.nodes[0].monitor(w.name)
	for i, outage := range []func() error{
		func() error { return errors.Join(standard.StopAPIServer(), standard.StartAPIServer(t.Context())) },
		func() error { return errors.Join(standard.StopEtcd(), standard.StartEtcd(t.Context())) },
	} {
		failure := fmt.Sprintf("failure %d", i)
		m.ReportDegraded(t.Context(), errors.New(failure))
		require.NoError(t, outage())
		require.NoError(t, standard.WaitReady(t.Context()))
		w.until(func(s mcfgv1.MachineConfigPoolStatus) bool {
			return hasTrueCondition(s, mcfgv1.MachineConfigPoolNodeDegraded, failure)
		})
		m.ReportDegraded(t.Context(), nil)
		w.until(func(s mcfgv1.MachineConfigPoolStatus) bool { return s.DegradedMachineCount == 0 })
	}
	stop()

	counted, stop := w.control()
	<-w.synced
	stop()
	assert.Zero(t, counted.all(), "a restart without changes")
}
