package componentreport_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	operatorfake "github.com/openshift/client-go/operator/clientset/versioned/fake"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/upgrademonitor/examples/internal/componentreport"
	"github.com/openshift/upgrademonitor/examples/internal/memory"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// newCluster returns a cluster with an empty MachineConfiguration, and the clientset of that.
func newCluster(t *testing.T) (componentreport.Cluster, *operatorfake.Clientset) {
	t.Helper()
	configurations := memory.Configurations()
	object := &operatorv1.MachineConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}
	_, err := configurations.OperatorV1().MachineConfigurations().Create(t.Context(), object, metav1.CreateOptions{})
	require.NoError(t, err)
	return componentreport.Cluster{Kube: memory.Kube(), Client: memory.MachineConfigs(), Configurations: configurations}, configurations
}

// start runs a process that publishes within moments, until the returned function is called.
func start(t *testing.T, p componentreport.Process) (stop func()) {
	t.Helper()
	p.Config.DegradedInertia, p.Config.MinInterval, p.Config.MaxInterval = time.Millisecond, time.Millisecond, 10*time.Millisecond
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	return func() {
		cancel(errors.New("interrupt signal received"))
		assert.NoError(t, <-ended, "an interrupt is no failure")
	}
}

// eventually waits until the conditions meet a check.
func eventually(t *testing.T, c componentreport.Cluster, check func([]metav1.Condition) bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		mc, err := c.Get(t.Context())
		require.NoError(t, err)
		return check(mc.Status.Conditions)
	}, time.Minute, 5*time.Millisecond)
}

func TestOperatorReportsAnInvalidPool(t *testing.T) {
	c, _ := newCluster(t)
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	pool.Spec.NodeSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}}
	_, err := c.Client.MachineconfigurationV1().MachineConfigPools().Create(t.Context(), pool, metav1.CreateOptions{})
	require.NoError(t, err)
	defer start(t, c.Operator(nil))()
	eventually(t, c, func(list []metav1.Condition) bool {
		fault, ok := components.MostRecentError(list)
		return ok && fault.State == components.OperatorSyncMCP && len(list) >= 5 // with the daemons
	})
	mc, err := c.Get(t.Context())
	require.NoError(t, err)
	fault, _ := components.MostRecentError(mc.Status.Conditions)
	assert.Contains(t, fault.Message, "MachineConfigPool worker: invalid nodeSelector")
}

// TestNothingIsWrittenBeforeTheBootImageController: that controller adds its conditions to an empty
// list only.
func TestNothingIsWrittenBeforeTheBootImageController(t *testing.T) {
	c, configurations := newCluster(t)
	var writes atomic.Int32
	configurations.PrependReactor("patch", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		writes.Add(1)
		return false, nil, nil
	})
	var asked atomic.Int32
	defer start(t, c.Operator(func(mc *operatorv1.MachineConfiguration) bool {
		asked.Add(1)
		return componentreport.HasBootImageConditions(mc)
	}))()
	require.Eventually(t, func() bool { return asked.Load() >= 5 }, time.Minute, time.Millisecond)
	mc, err := c.Get(t.Context())
	require.NoError(t, err)
	assert.Empty(t, mc.Status.Conditions)
	assert.Zero(t, writes.Load())

	bootImages := metav1.Condition{Type: operatorv1.MachineConfigurationBootImageUpdateDegraded, Status: metav1.ConditionFalse, Reason: "AsExpected"}
	mc.Status.Conditions = []metav1.Condition{bootImages}
	_, err = configurations.OperatorV1().MachineConfigurations().UpdateStatus(t.Context(), mc, metav1.UpdateOptions{})
	require.NoError(t, err)
	eventually(t, c, func(list []metav1.Condition) bool {
		return meta.FindStatusCondition(list, components.TypeOf(components.Operator, components.Degraded)) != nil
	})
	mc, err = c.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, bootImages, mc.Status.Conditions[0])
}

func TestGet(t *testing.T) {
	configurations := memory.Configurations()
	c := componentreport.Cluster{Configurations: configurations}
	mc, err := c.Get(t.Context())
	assert.NoError(t, err, "a missing object is waited for")
	assert.False(t, componentreport.HasBootImageConditions(mc))

	resource := operatorv1.Resource("machineconfigurations")
	for want, answer := range map[string]error{
		"install the CRD":     apierrors.NewGenericServerResponse(404, "get", resource, "cluster", "404 page not found", 0, true),
		"scope.Components":    apierrors.NewForbidden(resource, "cluster", errors.New("no")),
		"cannot read Machine": apierrors.NewServiceUnavailable("down"),
	} {
		configurations.PrependReactor("get", "machineconfigurations", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, answer })
		_, err := c.Get(t.Context())
		assert.ErrorContains(t, err, want)
	}
}
