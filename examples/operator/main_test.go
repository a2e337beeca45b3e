package main

import (
	"context"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	operatorfake "github.com/openshift/client-go/operator/clientset/versioned/fake"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubefake "k8s.io/client-go/kubernetes/fake"
)

func TestRun(t *testing.T) {
	worker := map[string]string{"node-role.kubernetes.io/worker": ""}
	kube := kubefake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Labels: worker}})
	mcfg := mcfgfake.NewClientset(&mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"},
		Spec: mcfgv1.MachineConfigPoolSpec{NodeSelector: &metav1.LabelSelector{MatchLabels: worker}}})
	operator := operatorfake.NewClientset(&operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- run(ctx, kube, mcfg, operator) }()
	require.Eventually(t, func() bool {
		mcn, err := mcfg.MachineconfigurationV1().MachineConfigNodes().Get(ctx, "worker-0", metav1.GetOptions{})
		return err == nil && mcn.Spec.Pool.Name == "worker"
	}, time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		mcp, err := mcfg.MachineconfigurationV1().MachineConfigPools().Get(ctx, "worker", metav1.GetOptions{})
		return err == nil && mcp.Status.MachineCount == 1
	}, time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		mc, err := operator.OperatorV1().MachineConfigurations().Get(ctx, "cluster", metav1.GetOptions{})
		return err == nil && meta.IsStatusConditionFalse(mc.Status.Conditions, "MachineConfigOperatorDegraded")
	}, time.Minute, 10*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
}
