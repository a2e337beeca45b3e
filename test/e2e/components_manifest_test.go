package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

// operatorNamespace has the service accounts of components.yaml and operator.yaml.
const operatorNamespace = "openshift-machine-config-operator"

// workload is the manifest of a Deployment or a DaemonSet.
const workload = `{"apiVersion":"apps/v1","kind":%q,"metadata":{"name":%q,"namespace":"` + operatorNamespace + `"},"spec":{"selector":{"matchLabels":{"a":"b"}},
	"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"a"}]}}}}`

// setStatus writes the status of a workload as its controller does.
func (c *configuration) setStatus(name, status string) {
	c.t.Helper()
	_, err := standard.Kubectl(c.t.Context(), "patch", "-n", operatorNamespace, name, "--subresource=status", "--type=merge", "-p", `{"status":`+status+`}`)
	require.NoError(c.t, err)
}

// components.yaml grants the operator and the controller exactly what they need to watch their workloads, and to write their
// conditions without changing fields of other processes.
func TestComponentsManifestGrantsWhatIsNeeded(t *testing.T) {
	c := newConfiguration(t)
	createNamespace(t, c.core, operatorNamespace)
	_, err := standard.Kubectl(t.Context(), "apply", "-f", manifest("components"))
	require.NoError(t, err)
	operator, controller := c.run(components.Operator, asComponent(components.Operator)), c.run(components.Controller, asComponent(components.Controller))
	names := map[components.Component]string{components.Operator: "machine-config-operator", components.Controller: "machine-config-controller"}
	for _, name := range names {
		apply(t, fmt.Sprintf(workload, "Deployment", name))
		c.setStatus("deployment/"+name, `{"conditions":[{"type":"Available","status":"True","reason":"Test","message":"","lastTransitionTime":"2026-05-22T12:00:00Z"}]}`)
	}
	apply(t, fmt.Sprintf(workload, "DaemonSet", "machine-config-daemon"))
	c.setStatus("daemonset/machine-config-daemon", `{"observedGeneration":1,"desiredNumberScheduled":3,"updatedNumberScheduled":3}`)
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
	operator.operatorSync(nil)
	assert.NoError(t, controller.Track(t.Context(), components.MCCSync, "", func(context.Context) error { return nil }))
	until(t, func() bool { report(); return components.Overall(c.conditions()) == components.Healthy }, operator, controller)
	c.untouched()

	clusterRole, err := c.core.RbacV1().ClusterRoles().Get(t.Context(), "mco-components", metav1.GetOptions{})
	require.NoError(t, err)
	role, err := c.core.RbacV1().Roles(operatorNamespace).Get(t.Context(), "mco-components", metav1.GetOptions{})
	require.NoError(t, err)
	used := slices.Concat(requests.used(), operator.requests.used(), controller.requests.used())
	slices.Sort(used)
	assert.Equal(t, permissions(append(clusterRole.Rules, role.Rules...)), slices.Compact(used))
}
