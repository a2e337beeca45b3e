package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

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

// TestComponentsManifest: components.yaml grants what both processes need, and no more. They watch a
// real Deployment and a real DaemonSet.
func TestComponentsManifest(t *testing.T) {
	c := newConfiguration(t)
	createNamespace(t, c.core, operatorNamespace)
	small, err := c.object().MarshalJSON()
	require.NoError(t, err)
	_, err = standard.Kubectl(t.Context(), "apply", "-f", manifest("components"))
	require.NoError(t, err)
	operator, controller := c.run(components.Operator, asComponent(components.Operator)), c.run(components.Controller, asComponent(components.Controller))
	names := map[components.Component]string{components.Operator: "machine-config-operator", components.Controller: "machine-config-controller"}
	for _, name := range names {
		c.createDeployment(name)
	}
	c.createDaemonSet("machine-config-daemon")
	var requests transport
	watch := func(component components.Component) informers.SharedInformerFactory {
		config := asComponent(component)
		config.Wrap(requests.wrap)
		machineConfigurations, err := operatorclientset.NewForConfig(config)
		require.NoError(t, err)
		operators := operatorinformers.NewSharedInformerFactory(machineConfigurations, 0)
		synced := operators.Operator().V1().MachineConfigurations().Informer().HasSynced
		own := informers.NewSharedInformerFactoryWithOptions(kubeClient(t, config), 0, informers.WithNamespace(operatorNamespace))
		own.Apps().V1().Deployments().Informer()
		if component == components.Operator {
			own.Apps().V1().DaemonSets().Informer()
		}
		operators.StartWithContext(t.Context())
		own.StartWithContext(t.Context())
		own.WaitForCacheSync(t.Context().Done())
		require.True(t, cache.WaitForCacheSync(t.Context().Done(), synced))
		return own
	}
	ofOperator, ofController := watch(components.Operator), watch(components.Controller)
	report := func() { // as examples/operator does
		deployment := func(f informers.SharedInformerFactory, c components.Component) []metav1.Condition {
			d, err := f.Apps().V1().Deployments().Lister().Deployments(operatorNamespace).Get(names[c])
			assert.NoError(t, err)
			return components.Deployment(c, d, time.Now())
		}
		ds, err := ofOperator.Apps().V1().DaemonSets().Lister().DaemonSets(operatorNamespace).Get("machine-config-daemon")
		assert.NoError(t, err)
		mcn := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}
		assert.NoError(t, operator.SetPeerConditions(components.Daemon, components.Daemons(ds, []*mcfgv1.MachineConfigNode{mcn}, time.Now())...))
		assert.NoError(t, operator.SetPeerConditions(components.Controller, deployment(ofOperator, components.Controller)...))
		assert.NoError(t, controller.SetPeerConditions(components.Operator, deployment(ofController, components.Operator)...))
	}
	healthIs := func(want components.Health) {
		t.Helper()
		until(t, func() bool { report(); return components.Overall(c.conditions()) == want }, operator, controller)
	}
	operator.operatorSync(nil)
	assert.NoError(t, controller.Track(t.Context(), components.MCCSync, "", func(context.Context) error { return nil }))
	healthIs(components.Unknown) // no controller has observed them
	for _, name := range names {
		c.setDeployment(name, "True")
	}
	c.setDaemonSet("machine-config-daemon", appsv1.DaemonSetStatus{ObservedGeneration: 1, DesiredNumberScheduled: 3, UpdatedNumberScheduled: 3})
	healthIs(components.Healthy)
	large, err := c.object().MarshalJSON()
	require.NoError(t, err)
	t.Logf("the object grew by %d bytes", len(large)-len(small))
	assert.LessOrEqual(t, len(large)-len(small), 4000)
	c.setDeployment(names[components.Operator], "False")
	healthIs(components.Unhealthy)
	assert.Equal(t, "DeploymentUnavailable", c.condition("MachineConfigOperatorAvailable").Reason)
	c.setDeployment(names[components.Operator], "True")
	c.setDaemonSet("machine-config-daemon", appsv1.DaemonSetStatus{ObservedGeneration: 1, DesiredNumberScheduled: 3, UpdatedNumberScheduled: 1})
	healthIs(components.Healthy)
	healthIs(components.Unhealthy)
	assert.Equal(t, "RolloutStuck", c.condition("MachineConfigDaemonDegraded").Reason)
	c.untouched()

	clusterRole, err := c.core.RbacV1().ClusterRoles().Get(t.Context(), "mco-components", metav1.GetOptions{})
	require.NoError(t, err)
	role, err := c.core.RbacV1().Roles(operatorNamespace).Get(t.Context(), "mco-components", metav1.GetOptions{})
	require.NoError(t, err)
	used := slices.Concat(requests.used(), operator.requests.used(), controller.requests.used())
	slices.Sort(used)
	assert.Equal(t, permissions(append(clusterRole.Rules, role.Rules...)), slices.Compact(used))
}

var workload = struct {
	labels   *metav1.LabelSelector
	template corev1.PodTemplateSpec
}{
	&metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
	corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}}},
}

func (c *configuration) createDeployment(name string) {
	c.t.Helper()
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DeploymentSpec{Selector: workload.labels, Template: workload.template}}
	_, err := c.core.AppsV1().Deployments(operatorNamespace).Create(c.t.Context(), d, metav1.CreateOptions{})
	require.NoError(c.t, err)
	c.t.Cleanup(func() {
		assert.NoError(c.t, c.core.AppsV1().Deployments(operatorNamespace).Delete(context.WithoutCancel(c.t.Context()), name, metav1.DeleteOptions{}))
	})
}

func (c *configuration) createDaemonSet(name string) {
	c.t.Helper()
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DaemonSetSpec{Selector: workload.labels, Template: workload.template}}
	_, err := c.core.AppsV1().DaemonSets(operatorNamespace).Create(c.t.Context(), ds, metav1.CreateOptions{})
	require.NoError(c.t, err)
	c.t.Cleanup(func() {
		assert.NoError(c.t, c.core.AppsV1().DaemonSets(operatorNamespace).Delete(context.WithoutCancel(c.t.Context()), name, metav1.DeleteOptions{}))
	})
}

// setDeployment writes the status as the controller of Deployments does.
func (c *configuration) setDeployment(name string, status corev1.ConditionStatus) {
	c.t.Helper()
	d, err := c.core.AppsV1().Deployments(operatorNamespace).Get(c.t.Context(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: status, Reason: "Test"}}
	_, err = c.core.AppsV1().Deployments(operatorNamespace).UpdateStatus(c.t.Context(), d, metav1.UpdateOptions{})
	require.NoError(c.t, err)
}

// setDaemonSet writes the status as the controller of DaemonSets does.
func (c *configuration) setDaemonSet(name string, status appsv1.DaemonSetStatus) {
	c.t.Helper()
	ds, err := c.core.AppsV1().DaemonSets(operatorNamespace).Get(c.t.Context(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	ds.Status = status
	_, err = c.core.AppsV1().DaemonSets(operatorNamespace).UpdateStatus(c.t.Context(), ds, metav1.UpdateOptions{})
	require.NoError(c.t, err)
}
