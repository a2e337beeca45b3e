package main

import (
	"context"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/examples/internal/memory"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func TestClusterReports(t *testing.T) {
	kube, client, configurations := memory.Kube(), memory.MachineConfigs(), memory.Configurations()
	objects := configurations.OperatorV1().MachineConfigurations()
	require.NoError(t, checkConfigurations(t.Context(), configurations), "a missing object is waited for")
	_, err := objects.Create(t.Context(), &operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: components.ObjectName}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, checkPools(t.Context(), client))
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	pool.Spec.NodeSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}}
	_, err = client.MachineconfigurationV1().MachineConfigPools().Create(t.Context(), pool, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.ErrorContains(t, checkPools(t.Context(), client), "MachineConfigPool worker: invalid nodeSelector")

	r := clusterReports(kube, client, configurations)
	r.config.Persist, r.config.MinInterval, r.config.MaxInterval = time.Millisecond, time.Millisecond, 10*time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.run(ctx) }()
	require.Eventually(t, func() bool {
		mc, err := objects.Get(t.Context(), components.ObjectName, metav1.GetOptions{})
		require.NoError(t, err)
		fault, ok := components.MostRecentError(mc.Status.Conditions)
		return ok && fault.State == components.OperatorSyncMCP && len(mc.Status.Conditions) >= 5 // with the daemons
	}, time.Minute, 5*time.Millisecond)
	cancel()
	assert.NoError(t, <-ended)
}
