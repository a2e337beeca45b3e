package e2e

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/phases"
)

// TestWhatConformanceTestsRead: testdata/conformance.txt has the texts and statuses that the
// conformance tests of OpenShift read in denials, in the object of a node that fails its update, in
// its pool, and at the end of an update.
func TestWhatConformanceTestsRead(t *testing.T) {
	f := newFleet(t)
	w, other := f.node("worker-0", "worker", oldConfig), f.node("worker-1", "worker", oldConfig)
	w.reportUpdated()
	other.reportUpdated()
	w.guard()
	f.runPool()
	var got strings.Builder
	denial := func(c nodes, name string) {
		_, err := c.Patch(t.Context(), name, types.MergePatchType, []byte(`{"spec":{"pool":{"name":"master"}}}`), metav1.PatchOptions{})
		require.Error(t, err)
		_, reason, _ := strings.Cut(err.Error(), "denied request: ")
		fmt.Fprintf(&got, "denied: %s\n", reason)
	}
	denial(nodesOf(t, w.config), other.name)
	denial(nodesOf(t, newIdentity(t, f.cluster, fullGuard).impersonated(nil)), w.name)

	m, _ := w.monitor("worker")
	w.annotate(oldConfig, newConfig)
	call{phases.Updated, no, nil}.make(t, m)
	call{phases.UpdatePrepared, done, nil}.make(t, m)
	call{phases.AppliedFilesAndOS, running, nil}.make(t, m)
	m.ReportDegraded(t.Context(), errors.New("disk full"))
	require.NoError(t, m.Flush(t.Context()))
	for _, p := range []phases.Phase{phases.AppliedFilesAndOS, phases.UpdateExecuted, phases.NodeDegraded} {
		fmt.Fprintf(&got, "a degraded node: %s %s\n", p, w.status(p))
	}
	degraded := f.eventuallyPool("worker", func(p *mcfgv1.MachineConfigPool) bool { return p.Status.DegradedMachineCount > 0 })
	fmt.Fprintf(&got, "its pool: degradedMachineCount %d\n", degraded.Status.DegradedMachineCount)
	for _, c := range degraded.Status.Conditions {
		if c.Type == mcfgv1.MachineConfigPoolDegraded {
			fmt.Fprintf(&got, "its pool: %s %s\n", c.Type, c.Status)
		}
	}

	w.rebootUpdate(m)
	for _, c := range w.object().Status.Conditions {
		if c.Status != metav1.ConditionFalse {
			fmt.Fprintf(&got, "at the end, not False: %s %s\n", c.Type, c.Status)
		}
	}
	want, err := os.ReadFile("testdata/conformance.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String())
}
