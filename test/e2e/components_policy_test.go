package e2e

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// install applies the manifests with kubectl.
func (c *configuration) install(grant scope.Components) {
	c.t.Helper()
	createNamespace(c.t, c.core, scope.DefaultComponentsNamespace)
	file := writeManifests(c.t, grant)
	_, err := standard.Kubectl(c.t.Context(), "apply", "-f", file)
	require.NoError(c.t, err)
	c.t.Cleanup(func() {
		_, err := standard.Kubectl(context.WithoutCancel(c.t.Context()), "delete", "-f", file)
		assert.NoError(c.t, err)
	})
}

// applyAs applies one condition as a component.
func (c *configuration) applyAs(component components.Component, manager, name string) error {
	raw, err := dynamic.NewForConfig(asComponent(component))
	require.NoError(c.t, err)
	condition := metav1.Condition{Type: name, Status: "True", Reason: "Forged", LastTransitionTime: metav1.Now()}
	data, err := json.Marshal(map[string]any{
		"apiVersion": "operator.openshift.io/v1", "kind": "MachineConfiguration", "metadata": map[string]any{"name": "cluster"},
		"status": map[string]any{"conditions": []metav1.Condition{condition}},
	})
	require.NoError(c.t, err)
	_, err = raw.Resource(configurations).Patch(c.t.Context(), "cluster", "application/apply-patch+yaml", data,
		metav1.PatchOptions{FieldManager: manager, Force: new(true)}, "status")
	return err
}

// TestComponentsPolicy: neither process writes the conditions of the other, and each writes its own.
func TestComponentsPolicy(t *testing.T) {
	c := newConfiguration(t)
	c.install(scope.Components{EnforceWriters: true})
	_, err := standard.Kubectl(t.Context(), "apply", "-f", manifest("components")) // the same, without the policy
	require.NoError(t, err)
	forged := "MachineConfigOperatorAvailable" // of the controller
	eventually(t, func() bool {
		err = c.applyAs(components.Operator, "forger", forged)
		return err != nil && answerOf(t, err) == "no: policy"
	}, "the policy is in force")
	assert.ErrorContains(t, err, forged)
	c.delete()
	c.create()
	for _, name := range []string{"MachineConfigOperatorDegraded", "MachineConfigControllerAvailable", "MachineConfigDaemonAvailable", "MachineConfigBootstrapProgressing"} {
		assert.True(t, apierrors.IsForbidden(c.applyAs(components.Controller, "forger", name)), "%s", name)
	}

	operator := c.run(components.Operator, asComponent(components.Operator))
	controller := c.run(components.Controller, asComponent(components.Controller))
	operator.operatorSync(nil)
	controller.sync(components.MCCSync, components.MCCSyncControllerConfig, nil)
	setPeers(t, operator, controller, true, "")
	c.eventually("MachineConfigOperatorAvailable", "True")
	c.eventually("MachineConfigControllerAvailable", "True")
	c.eventually(operatorDegraded, "False")
	c.eventually(controllerDegraded, "False")
	assert.Equal(t, components.Healthy, components.HealthOf(c.conditions(), components.Operator))
	assert.Equal(t, components.Healthy, components.HealthOf(c.conditions(), components.Controller))
	c.untouched()
	require.NoError(t, operator.Clear(t.Context()))
	require.NoError(t, controller.Clear(t.Context()))
	assert.Len(t, c.conditions(), 2)
	require.NoError(t, c.applyAs(components.Operator, "other", "Upgradeable"), "a type of neither")
}

// setPeers sets all peer conditions of both processes.
func setPeers(t *testing.T, operator, controller *process, good bool, message string) {
	t.Helper()
	set := func(p *process, c components.Component, aspects ...components.Aspect) {
		for _, a := range aspects {
			status := metav1.ConditionFalse
			if (a == components.Available) == good {
				status = metav1.ConditionTrue
			}
			require.NoError(t, p.SetPeerConditions(c, metav1.Condition{Type: components.TypeOf(c, a), Status: status, Reason: "AsExpected", Message: message}))
		}
	}
	set(operator, components.Controller, components.Available)
	set(operator, components.Daemon, components.Degraded, components.Progressing)
	if good {
		set(operator, components.Daemon, components.Available) // False is published after ten minutes
	}
	set(controller, components.Operator, components.Available)
}

// TestComponentsLease: the role grants the permission to read the Lease.
func TestComponentsLease(t *testing.T) {
	c := newConfiguration(t)
	createNamespace(t, c.core, scope.DefaultComponentsNamespace)
	reader := kubeClient(t, impersonate(standard.Config(), scope.DefaultComponentsNamespace, "lease-reader", nil))
	leases := c.core.CoordinationV1().Leases(scope.DefaultComponentsNamespace)
	holder, duration := "a", int32(137)
	lease, err := leases.Create(t.Context(), &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "machine-config"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &duration},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	clock := clocktesting.NewFakeClock(time.Now())
	reasons := make(chan string, 100)
	watch, err := components.NewLeaseWatch(components.LeaseConfig{
		Client: reader.CoordinationV1().Leases(scope.DefaultComponentsNamespace), Component: components.Operator, Clock: clock,
		SetPeerConditions: func(_ components.Component, list ...metav1.Condition) error {
			reasons <- list[0].Reason
			return nil
		},
	})
	require.NoError(t, err)
	go func() { assert.NoError(t, watch.Run(t.Context())) }()
	waitFor := func(want string) {
		t.Helper()
		eventually(t, func() bool {
			renewed := metav1.NewMicroTime(clock.Now())
			lease.Spec.RenewTime = &renewed
			lease, err = leases.Update(t.Context(), lease, metav1.UpdateOptions{})
			require.NoError(t, err)
			clock.Step(time.Minute)
			select {
			case reason := <-reasons:
				return reason == want
			case <-time.After(100 * time.Millisecond):
				return false
			}
		}, want)
	}
	waitFor("NoData") // 403
	c.install(scope.Components{Name: "lease", ControllerServiceAccount: "lease-reader"})
	waitFor("AsExpected")
}
