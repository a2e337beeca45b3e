package pool_test

import (
	"encoding/json"
	"slices"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
)

// statusOf returns the status of a pool with these nodes, and checks the rules of every status.
func statusOf(t *testing.T, p *mcfgv1.MachineConfigPool, ns nodes, ms mcns, options pool.Options) mcfgv1.MachineConfigPoolStatus {
	t.Helper()
	before := text(t, p, ns, ms)
	status := pool.Status(p, ns, ms, options, now)
	assert.Equal(t, before, text(t, p, ns, ms), "Status must not change its arguments")
	checkRules(t, status, len(ns), options)
	for _, c := range p.Status.Conditions {
		if c.Type == mcfgv1.MachineConfigPoolPinnedImageSetsDegraded || c.Type == mcfgv1.MachineConfigPoolRenderDegraded {
			assert.Contains(t, status.Conditions, c, "a condition of another controller must stay")
		}
	}

	ns = append(slices.Clone(ns), nil)
	ms = append(slices.Clone(ms), nil, newMCN("of another pool"), newMCN("of no node"))
	slices.Reverse(ns)
	slices.Reverse(ms)
	assert.Equal(t, status, pool.Status(p, ns, ms, options, now), "the order of the arguments, nil elements, and objects of other nodes must not matter")
	unchanged := p.DeepCopy()
	unchanged.Status = status
	assert.Equal(t, status, pool.Status(unchanged, ns, ms, options, metav1.NewTime(now.AddDate(0, 0, 1))), "the status of an unchanged pool is unchanged")
	return status
}

// checkRules checks the counts, the rules of the CRD, and the conditions of a status of n nodes.
func checkRules(t *testing.T, s mcfgv1.MachineConfigPoolStatus, n int, options pool.Options) {
	t.Helper()
	is := func(conditionType mcfgv1.MachineConfigPoolConditionType) bool {
		return slices.ContainsFunc(s.Conditions, func(c mcfgv1.MachineConfigPoolCondition) bool {
			return c.Type == conditionType && c.Status == corev1.ConditionTrue
		})
	}
	y := s.PoolSynchronizersStatus[len(s.PoolSynchronizersStatus)-1]
	for rule, holds := range map[string]bool{
		"machines = nodes":                         int(s.MachineCount) == n,
		"updated + degraded ≤ machines":            s.UpdatedMachineCount+s.DegradedMachineCount <= s.MachineCount,
		"ready ≤ updated":                          s.ReadyMachineCount <= s.UpdatedMachineCount,
		"ready + unavailable ≤ machines":           s.ReadyMachineCount+s.UnavailableMachineCount <= s.MachineCount,
		"CRD: machines ≥ each other count":         y.MachineCount >= max(y.UpdatedMachineCount, y.AvailableMachineCount, y.UnavailableMachineCount, y.ReadyMachineCount),
		"CRD: available machines ≥ ready machines": y.AvailableMachineCount >= y.ReadyMachineCount,
		"not Updated and Updating at once":         !is("Updated") || !is("Updating"),
		"Updated: all machines are ready":          !is("Updated") || s.ReadyMachineCount == s.MachineCount && s.UnavailableMachineCount == 0,
		"NodeDegraded = degraded machines":         is("NodeDegraded") == (s.DegradedMachineCount > 0),
		"Degraded if any part is degraded":         is("Degraded") == (is("NodeDegraded") || is("RenderDegraded") || is("ImageBuildDegraded")),
		"Updated: the image exists":                !is("Updated") || options.MachineOSConfig == nil || len(options.MachineOSConfig.Status.CurrentImagePullSpec) > 0,
	} {
		assert.True(t, holds, rule)
	}
}

func text(t *testing.T, objects ...any) string {
	t.Helper()
	b, err := json.Marshal(objects)
	require.NoError(t, err)
	return string(b)
}
