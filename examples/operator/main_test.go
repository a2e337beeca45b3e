package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	mcfgfake "github.com/openshift/client-go/machineconfiguration/clientset/versioned/fake"
	operatorfake "github.com/openshift/client-go/operator/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// newClients returns clients of a cluster with a Node, its pool and the given objects.
func newClients(more ...runtime.Object) (*kubefake.Clientset, *mcfgfake.Clientset) {
	worker := map[string]string{"node-role.kubernetes.io/worker": ""}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Labels: worker}}
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"},
		Spec: mcfgv1.MachineConfigPoolSpec{NodeSelector: &metav1.LabelSelector{MatchLabels: worker}}}
	return kubefake.NewClientset(append(more, node)...), mcfgfake.NewClientset(pool)
}

func TestTheControllersWriteTheirObjects(t *testing.T) {
	kube, mcfg := newClients(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "machine-config-daemon"}})
	operator := operatorfake.NewClientset(&operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, kube, mcfg, operator, nil) }()
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
		return err == nil && meta.IsStatusConditionFalse(mc.Status.Conditions, "MachineConfigOperatorDegraded") &&
			meta.FindStatusCondition(mc.Status.Conditions, "MachineConfigDaemonProgressing") != nil
	}, time.Minute, 10*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
	lease, err := kube.CoordinationV1().Leases(namespace).Get(t.Context(), "machine-config", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Empty(t, *lease.Spec.HolderIdentity, "the Lease is released for the next leader")
}

// On a cluster without the CRD of MachineConfiguration, run requests this resource once, and the other controllers work.
func TestWithoutMachineConfigurationTheOtherControllersWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube, mcfg := newClients()
		operator := operatorfake.NewClientset()
		operator.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewNotFound(action.GetResource().GroupResource(), "")
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- run(ctx, kube, mcfg, operator, nil) }()
		<-time.After(time.Hour) // time is fake
		_, err := mcfg.MachineconfigurationV1().MachineConfigNodes().Get(ctx, "worker-0", metav1.GetOptions{})
		require.NoError(t, err)
		cancel()
		require.NoError(t, <-ended)
		assert.Len(t, operator.Actions(), 1)
	})
}

// If the Lease is lost, run returns an error, so that the kubelet restarts the container.
func TestRunFailsIfTheLeaseIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube, mcfg := newClients()
		began := time.Now() // time is fake
		kube.PrependReactor("update", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			return time.Since(began) > time.Minute, nil, apierrors.NewServiceUnavailable("outage")
		})
		ended := make(chan error, 1)
		go func() { ended <- run(t.Context(), kube, mcfg, operatorfake.NewClientset(), nil) }()
		require.ErrorContains(t, <-ended, "the Lease was lost")
	})
}

// A replica without an identity cannot hold the Lease.
func TestLeadNeedsAnIdentity(t *testing.T) {
	require.Error(t, lead(t.Context(), &resourcelock.LeaseLock{}))
}

// A problem of a pool is recorded as an event.
func TestAProblemOfAPoolIsAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kube, mcfg := newClients()
		selector := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Likes"}}}
		broken := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "broken"}, Spec: mcfgv1.MachineConfigPoolSpec{NodeSelector: selector}}
		_, err := mcfg.MachineconfigurationV1().MachineConfigPools().Create(t.Context(), broken, metav1.CreateOptions{})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- run(ctx, kube, mcfg, operatorfake.NewClientset(), nil) }()
		<-time.After(time.Minute) // time is fake
		events, err := kube.CoreV1().Events("").List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		require.NotEmpty(t, events.Items)
		assert.Equal(t, "InvalidNodeSelector", events.Items[0].Reason)
		cancel()
		require.NoError(t, <-ended)
	})
}

// The informers cache no managed fields.
func TestTrimRemovesTheManagedFields(t *testing.T) {
	trimmed, err := trim(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}}}})
	require.NoError(t, err)
	assert.Equal(t, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, trimmed)
}

type failing struct {
	n     int
	since time.Time
}

func (f failing) Failing() (int, time.Time, error) {
	return f.n, f.since, errors.New("patch MachineConfigNode worker-0: denied")
}

// The operator is degraded if an object could not be written for 2 minutes.
func TestTheOperatorIsDegradedIfAnObjectIsNotWritten(t *testing.T) {
	assert.NoError(t, checkObjects(failing{}))
	assert.NoError(t, checkObjects(failing{2, time.Now().Add(-time.Minute)}))
	assert.ErrorContains(t, checkObjects(failing{2, time.Now().Add(-3 * time.Minute)}), "worker-0: denied")
}

// If a controller fails, or the Lease is lost, all controllers end, and the process ends with an error.
func TestAllControllersEndTogether(t *testing.T) {
	failure, others := errors.New("the informer was stopped"), 0
	other := func(ctx context.Context) error { <-ctx.Done(); others++; return nil }
	require.ErrorIs(t, together(t.Context(), t.Context(), other, func(context.Context) error { return failure }), failure)
	assert.Equal(t, 1, others, "every controller has ended")

	lease, lost := context.WithCancel(t.Context())
	lost()
	require.Error(t, together(t.Context(), lease, other), "a lost Lease is an error, so the kubelet restarts the container")

	signaled, signal := context.WithCancel(t.Context())
	signal()
	require.NoError(t, together(signaled, t.Context(), other))
}
