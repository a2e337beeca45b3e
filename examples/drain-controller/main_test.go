package main

import (
	"context"
	"testing"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

// A drain that a disruption budget delays, then an uncordon. The Pod of a DaemonSet stays.
func TestRun(t *testing.T) {
	pod := func(name, owner string) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: corev1.PodSpec{NodeName: "worker-0"}}
		isController := true
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: owner, Name: name, Controller: &isController}}
		return p
	}
	kube := kubefake.NewClientset(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Annotations: map[string]string{desiredDrain: "drain-rendered-2"}}},
		pod("web-0", "StatefulSet"), pod("dns-0", "DaemonSet"),
	)
	evictions := 0
	kube.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if evictions++; evictions == 1 {
			return true, nil, apierrors.NewTooManyRequests("the disruption budget does not allow it", 1)
		}
		return true, nil, kube.Tracker().Delete(action.GetResource(), "shop", "web-0")
	})
	mcfg := upgrademonitortest.NewClientset(t)
	startUpdate(t, mcfg)
	stop, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(stop, kube, mcfg) }()

	applied := func(want string) {
		require.Eventually(t, func() bool {
			node, err := kube.CoreV1().Nodes().Get(t.Context(), "worker-0", metav1.GetOptions{})
			return err == nil && node.Annotations[lastAppliedDrain] == want
		}, time.Minute, 10*time.Millisecond)
	}
	applied("drain-rendered-2")
	patch := `{"metadata":{"annotations":{"` + desiredDrain + `":"uncordon-rendered-2"}}}`
	_, err := kube.CoreV1().Nodes().Patch(t.Context(), "worker-0", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(t, err)
	applied("uncordon-rendered-2")
	cancel()
	require.NoError(t, <-ended)
	assert.Equal(t, 2, evictions)
	assert.Equal(t, `UpdatePrepared: False Unknown
UpdateExecuted: False Unknown
Cordoned: False Unknown True
Drained: False Unknown True
UpdateComplete: False Unknown True
Uncordoned: False Unknown True`, upgrademonitortest.Transitions(t, mcfg, "worker-0"))
}

// startUpdate reports the start of an update, as the daemon of the node does before it asks for a drain.
func startUpdate(t *testing.T, mcfg mcfgclientset.Interface) {
	t.Helper()
	daemon, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{
		Client:   mcfg,
		NodeName: "worker-0",
		Node: func() (*corev1.Node, error) {
			return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1"}}, nil
		},
	})
	require.NoError(t, err)
	daemon.Report(t.Context(), phases.Updated, "Node needs an update", metav1.ConditionFalse)
}
