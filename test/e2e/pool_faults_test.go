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

// TestPoolUnderFaults has writes fail in each of the ways there are while a node changes: the
// status follows once they do not.
func TestPoolUnderFaults(t *testing.T) {
	w := newPoolWorld(t, "pool-under-faults", 1)
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
		trouble := fmt.Sprintf("trouble %d", i)
		require.NoError(t, m.ReportDegraded(t.Context(), errors.New(trouble)))
		<-hit
		w.faults.set(nil)
		w.until(func(s mcfgv1.MachineConfigPoolStatus) bool {
			return poolSays(s, mcfgv1.MachineConfigPoolNodeDegraded, trouble)
		})
	}
	stop()
	t.Logf("%s", counted)
}

// TestPoolWithoutServers takes the servers away: what the nodes have reported before and since
// is in the status when they are back.
func TestPoolWithoutServers(t *testing.T) {
	w := newPoolWorld(t, "pool-without-servers", 1)
	_, stop := w.control()
	m, _ := w.nodes[0].monitor(w.name)
	for i, outage := range []func() error{
		func() error { return errors.Join(standard.StopAPIServer(), standard.StartAPIServer(t.Context())) },
		func() error { return errors.Join(standard.StopEtcd(), standard.StartEtcd(t.Context())) },
	} {
		trouble := fmt.Sprintf("trouble %d", i)
		require.NoError(t, m.ReportDegraded(t.Context(), errors.New(trouble)))
		require.NoError(t, outage())
		require.NoError(t, standard.WaitReady(t.Context()))
		w.until(func(s mcfgv1.MachineConfigPoolStatus) bool {
			return poolSays(s, mcfgv1.MachineConfigPoolNodeDegraded, trouble)
		})
		require.NoError(t, m.ReportDegraded(t.Context(), nil))
		w.until(func(s mcfgv1.MachineConfigPoolStatus) bool { return s.DegradedMachineCount == 0 })
	}
	stop()

	counted, stop := w.control()
	<-w.looked
	stop()
	assert.Zero(t, counted.all(), "a restart in a settled cluster")
}
