package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// operatorNamespace is that of the service accounts of components.yaml and operator.yaml.
const operatorNamespace = "openshift-machine-config-operator"

// install applies components.yaml with kubectl: under other names, and for another service account.
func (c *configuration) install(name, account, another string) {
	c.t.Helper()
	createNamespace(c.t, c.core, operatorNamespace)
	text, err := os.ReadFile(manifest("components"))
	require.NoError(c.t, err)
	require.Contains(c.t, string(text), "name: "+account+"\n")
	renamed := strings.NewReplacer("mco-components", name, "name: "+account+"\n", "name: "+another+"\n").Replace(string(text))
	file := filepath.Join(c.t.TempDir(), "components.yaml")
	require.NoError(c.t, os.WriteFile(file, []byte(renamed), 0o600))
	_, err = standard.Kubectl(c.t.Context(), "apply", "-f", file)
	require.NoError(c.t, err)
	c.t.Cleanup(func() {
		_, err := standard.Kubectl(context.WithoutCancel(c.t.Context()), "delete", "-f", file)
		assert.NoError(c.t, err)
	})
}

// TestComponentsManifest: what components.yaml grants is what both processes need.
func TestComponentsManifest(t *testing.T) {
	c := newConfiguration(t)
	createNamespace(t, c.core, operatorNamespace)
	_, err := standard.Kubectl(t.Context(), "apply", "-f", manifest("components"))
	require.NoError(t, err)

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
	assert.Len(t, c.conditions(), 2, "those of others")

	granted, err := c.core.RbacV1().ClusterRoles().Get(t.Context(), "mco-components", metav1.GetOptions{})
	require.NoError(t, err)
	used := append(operator.requests.used(), "watch machineconfigurations") // by the informers
	assert.ElementsMatch(t, permissions(granted.Rules), used, "no more than that")
	for component, watched := range map[components.Component]string{components.Operator: "machine-config-controller", components.Controller: "machine-config"} {
		leases := kubeClient(t, asComponent(component)).CoordinationV1().Leases(operatorNamespace)
		for _, lease := range []string{"machine-config-controller", "machine-config"} {
			_, err := leases.Get(t.Context(), lease, metav1.GetOptions{})
			assert.Equal(t, lease != watched, apierrors.IsForbidden(err), "%s reads Lease %s: %v", component, lease, err)
		}
	}
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
	createNamespace(t, c.core, operatorNamespace)
	reader := kubeClient(t, impersonate(standard.Config(), operatorNamespace, "lease-reader", nil))
	leases := c.core.CoordinationV1().Leases(operatorNamespace)
	holder, duration := "a", int32(137)
	lease, err := leases.Create(t.Context(), &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "machine-config"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &duration},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	clock := clocktesting.NewFakeClock(time.Now())
	reasons := make(chan string, 100)
	watch, err := components.NewLeaseWatch(components.LeaseConfig{
		Client: reader.CoordinationV1().Leases(operatorNamespace), Component: components.Operator, Clock: clock,
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
	c.install("lease", "machine-config-controller", "lease-reader")
	waitFor("AsExpected")
}
