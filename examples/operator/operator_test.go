package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/examples/internal/simulation"
)

// TestOperatorRecordsEvents reads the events of pools as an administrator would.
func TestOperatorRecordsEvents(t *testing.T) {
	cluster, err := simulation.New(t.Context(), simulation.Options{Nodes: 4})
	require.NoError(t, err)
	o := operator{kube: cluster.KubeClient(), client: cluster.Client(), interval: simulation.PoolInterval}
	assert.NoError(t, cluster.Run(t.Context(), o.run, func(ctx context.Context) error {
		if _, err := cluster.WaitForStatus(ctx); err != nil {
			return err
		}
		if err := cluster.Rollout(ctx); err != nil {
			return err
		}
		require.EventuallyWithT(t, func(t *assert.CollectT) {
			list, err := cluster.KubeClient().CoreV1().Events(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
			assert.NoError(t, err)
			seen := map[string]int{}
			for _, e := range list.Items {
				seen[e.InvolvedObject.Kind+" "+e.InvolvedObject.Name+" "+e.Reason]++
			}
			for _, name := range []string{"master", "worker"} {
				assert.Equal(t, 1, seen["MachineConfigPool "+name+" Updating"], "%v", seen)
				assert.Equal(t, 1, seen["MachineConfigPool "+name+" Completed"], "%v", seen)
			}
		}, time.Minute, 10*time.Millisecond)
		return nil
	}))
}
