package main

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
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

// An API server that refuses the cordon, and later the uncordon: the object has the error.
func TestRefusedCordon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube := kubefake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Annotations: map[string]string{desiredDrain: "drain-rendered-2"}}})
		var refused atomic.Bool
		kube.PrependReactor("patch", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
			isCordon := strings.Contains(string(action.(clienttesting.PatchAction).GetPatch()), "unschedulable")
			return isCordon && refused.Load(), nil, errors.New("denied by a webhook")
		})
		mcfg := upgrademonitortest.NewClientset(t)
		startUpdate(t, mcfg)
		stop, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		refused.Store(true)
		go func() { ended <- run(stop, kube, mcfg) }()
		attempts := func() { <-time.After(10 * time.Minute) } // time is fake
		failure := func(phase phases.Phase) string {
			mcn, err := mcfg.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), "worker-0", metav1.GetOptions{})
			require.NoError(t, err)
			c := meta.FindStatusCondition(mcn.Status.Conditions, string(phase))
			require.Equal(t, metav1.ConditionUnknown, c.Status)
			return c.Message
		}

		attempts()
		assert.Equal(t, "Error: Cordoning node: denied by a webhook", failure(phases.Cordoned))
		refused.Store(false)
		attempts()
		refused.Store(true)
		patch := `{"metadata":{"annotations":{"` + desiredDrain + `":"uncordon-rendered-2"}}}`
		_, err := kube.CoreV1().Nodes().Patch(t.Context(), "worker-0", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		require.NoError(t, err)
		attempts()
		assert.Equal(t, "Error: Uncordoning node: denied by a webhook", failure(phases.Uncordoned))
		refused.Store(false)
		attempts()
		cancel()
		require.NoError(t, <-ended)
		assert.Equal(t, `UpdatePrepared: False Unknown
UpdateExecuted: False Unknown
Cordoned: False Unknown True
Drained: False Unknown True
UpdateComplete: False Unknown True
Uncordoned: False Unknown True`, upgrademonitortest.Transitions(t, mcfg, "worker-0"))
	})
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
