package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// install creates the roles and, if it is enforced, the policy.
func (c *configuration) install(grant scope.Components) {
	c.t.Helper()
	ctx, create := c.t.Context(), metav1.CreateOptions{}
	ignore := func(err error) {
		if !apierrors.IsAlreadyExists(err) {
			require.NoError(c.t, err)
		}
	}
	_, err := c.core.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: scope.DefaultComponentsNamespace}}, create)
	ignore(err)
	_, err = c.core.RbacV1().ClusterRoles().Create(ctx, grant.Role(), create)
	ignore(err)
	_, err = c.core.RbacV1().ClusterRoleBindings().Create(ctx, grant.RoleBinding(), create)
	ignore(err)
	_, err = c.core.RbacV1().Roles(scope.DefaultComponentsNamespace).Create(ctx, grant.LeaseRole(), create)
	ignore(err)
	_, err = c.core.RbacV1().RoleBindings(scope.DefaultComponentsNamespace).Create(ctx, grant.LeaseRoleBinding(), create)
	ignore(err)
	if !grant.EnforceWriters {
		return
	}
	policies := c.core.AdmissionregistrationV1()
	_, err = policies.ValidatingAdmissionPolicies().Create(ctx, grant.WriterPolicy(), create)
	require.NoError(c.t, err)
	_, err = policies.ValidatingAdmissionPolicyBindings().Create(ctx, grant.WriterPolicyBinding(), create)
	require.NoError(c.t, err)
	c.t.Cleanup(func() {
		ctx := context.WithoutCancel(ctx)
		assert.NoError(c.t, policies.ValidatingAdmissionPolicyBindings().Delete(ctx, grant.WriterPolicyBinding().Name, metav1.DeleteOptions{}))
		assert.NoError(c.t, policies.ValidatingAdmissionPolicies().Delete(ctx, grant.WriterPolicy().Name, metav1.DeleteOptions{}))
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
	forged := "MachineConfigOperatorAvailable" // of the controller
	var err error
	require.Eventually(t, func() bool {
		err = c.applyAs(components.Operator, "forger", forged)
		return err != nil
	}, time.Minute, 100*time.Millisecond, "the policy is in force")
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	assert.ErrorContains(t, err, "may not change the conditions of another component: "+forged)
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

// TestComponentsGrowth measures requests and the object: when all is well, with six errors, and after them.
func TestComponentsGrowth(t *testing.T) {
	c := newConfiguration(t)
	size := func() int {
		data, err := json.Marshal(c.object())
		require.NoError(t, err)
		return len(data)
	}
	before := size()
	quick := func(config *components.Config) { config.ProgressingAfter = 50 * time.Millisecond }
	start := func() (operator, controller *process) {
		operator = c.run(components.Operator, standard.Config(), quick)
		controller = c.run(components.Controller, standard.Config(), quick)
		operator.operatorSync(nil)
		controller.sync(components.MCCSync, components.MCCSyncControllerConfig, nil)
		setPeers(t, operator, controller, true, "")
		operator.quiet(t)
		controller.quiet(t)
		return operator, controller
	}
	operator, controller := start()
	request, _ := operator.sizes.get()
	small, _ := controller.sizes.get()
	require.Len(t, c.conditions(), 2+10)
	healthy := size() - before
	operator.stop()
	controller.stop()
	operator, controller = start()
	restart := operator.requests.all() + controller.requests.all()

	huge := strings.Repeat("<a \"long\" text> ", 1<<12)
	for i := range 3 {
		operator.Begin(components.OperatorSyncMCD, fmt.Sprint(i)).End(fmt.Errorf("%d: %s", i, huge))
		controller.Begin(components.MCCSyncMachineConfigPool, fmt.Sprint(i)).End(fmt.Errorf("%d: %s", i, huge))
	}
	setPeers(t, operator, controller, false, huge)
	c.eventually(operatorDegraded, "True")
	c.eventually(daemonDegraded, "True")
	c.eventually(controllerDegraded, "True")
	operator.quiet(t)
	_, largest := operator.sizes.get()
	faulty := size() - before

	for i := range 3 {
		operator.Begin(components.OperatorSyncMCD, fmt.Sprint(i)).End(nil)
	}
	setPeers(t, operator, controller, true, "")
	c.eventually(operatorDegraded, "False")
	c.eventually(daemonDegraded, "False")
	operator.quiet(t)
	recovered, _ := operator.sizes.get()
	for _, condition := range c.conditions() {
		if condition.Type == operatorDegraded || condition.Type == daemonDegraded {
			assert.Contains(t, condition.Message, "Last error, resolved ")
		}
	}
	t.Logf("healthy: requests of %d and %d bytes, the object grows by %d, a restart of both makes %d writes; six errors: at most %d bytes, the object grows by %d; the operator's have recovered: %d bytes",
		request, small, healthy, restart, largest, faulty, recovered)
	assert.LessOrEqual(t, request, 1500)
	assert.LessOrEqual(t, small, 1500)
	assert.LessOrEqual(t, healthy, 4000)
	assert.Zero(t, restart)
	assert.LessOrEqual(t, largest, 8000)
	assert.LessOrEqual(t, recovered, 2000)
	c.untouched()
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

// TestComponentsLease: on the real server, with a fake clock, as a service account that is granted the
// permission to read later; the holder's clock is an hour ahead or behind.
func TestComponentsLease(t *testing.T) {
	c := newConfiguration(t)
	grant := scope.Components{Name: "lease", ControllerServiceAccount: "lease-reader"}
	_, err := c.core.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: scope.DefaultComponentsNamespace}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(t, err)
	}
	reader, err := kubernetes.NewForConfig(impersonate(standard.Config(), scope.DefaultComponentsNamespace, "lease-reader", nil))
	require.NoError(t, err)
	leases := c.core.CoordinationV1().Leases(scope.DefaultComponentsNamespace)
	holder, duration := "a", int32(137)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "machine-config"}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &duration}}
	renew := func(at time.Time) {
		renewed := metav1.NewMicroTime(at)
		lease.Spec.RenewTime = &renewed
		updated, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{})
		require.NoError(t, err)
		lease = updated
	}
	clock := clocktesting.NewFakeClock(time.Now())
	statuses := make(chan string, 100)
	watch, err := components.NewLeaseWatch(components.LeaseConfig{
		Client: reader.CoordinationV1().Leases(scope.DefaultComponentsNamespace), Component: components.Operator, Clock: clock,
		SetPeerConditions: func(_ components.Component, list ...metav1.Condition) error {
			statuses <- string(list[0].Status) + " " + list[0].Reason
			return nil
		},
	})
	require.NoError(t, err)
	running := make(chan error, 1)
	go func() { running <- watch.Run(t.Context()) }()
	// waitFor steps the clock until this status is set.
	waitFor := func(want string, each func()) {
		t.Helper()
		last := ""
		require.Eventually(t, func() bool {
			if each != nil {
				each()
			}
			clock.Step(time.Minute)
			select {
			case last = <-statuses:
			case <-time.After(100 * time.Millisecond):
			}
			return last == want
		}, time.Minute, time.Millisecond, "last: %s", last)
	}
	waitFor("Unknown NoData", nil) // 403
	_, err = c.core.RbacV1().Roles(scope.DefaultComponentsNamespace).Create(t.Context(), grant.LeaseRole(), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = c.core.RbacV1().RoleBindings(scope.DefaultComponentsNamespace).Create(t.Context(), grant.LeaseRoleBinding(), metav1.CreateOptions{})
	require.NoError(t, err)
	waitFor("Unknown LeaseExpired", nil) // it does not exist
	lease, err = leases.Create(t.Context(), lease, metav1.CreateOptions{})
	require.NoError(t, err)
	for _, skew := range []time.Duration{time.Hour, -time.Hour} {
		waitFor("True AsExpected", func() { renew(clock.Now().Add(skew)) })
		waitFor("Unknown LeaseExpired", nil) // frozen
	}
	waitFor("True AsExpected", func() { renew(clock.Now()) })
	released := ""
	lease.Spec.HolderIdentity = &released
	renew(clock.Now())
	waitFor("Unknown LeaseExpired", func() { renew(clock.Now()) }) // released
	lease.Spec.HolderIdentity = &holder
	waitFor("True AsExpected", func() { renew(clock.Now()) })
	require.NoError(t, leases.Delete(t.Context(), lease.Name, metav1.DeleteOptions{}))
	waitFor("Unknown LeaseExpired", nil)
}
