package e2e

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
)

const (
	bootImageManager = "machine-config-controller-boot-images"
	bootImageType    = "BootImageUpdateDegraded"
)

var configurations = operatorv1.GroupVersion.WithResource("machineconfigurations")

// configuration is the object MachineConfiguration/cluster, with an administrator's clients. A cluster has only
// one such object, so its tests must not run in parallel.
type configuration struct {
	t     *testing.T
	admin *operatorclientset.Clientset
	core  *kubernetes.Clientset
	raw   dynamic.ResourceInterface
}

var configurationCRD = sync.OnceValue(func() error {
	return cluster.InstallConfigurationCRD(context.Background(), standard.Config())
})

// newConfiguration creates the object with the fields that other processes write: the conditions of the boot image
// controller, and observedGeneration.
func newConfiguration(t *testing.T) *configuration {
	t.Helper()
	require.NoError(t, configurationCRD())
	c := &configuration{t: t}
	config := standard.Config()
	var err error
	c.admin, err = operatorclientset.NewForConfig(config)
	require.NoError(t, err)
	c.core = kubeClient(t, config)
	raw, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	c.raw = raw.Resource(configurations)
	c.delete()
	c.create()
	t.Cleanup(c.delete)
	return c
}

func (c *configuration) create() {
	c.t.Helper()
	_, err := c.raw.Create(c.t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": configurations.GroupVersion().String(), "kind": "MachineConfiguration",
		"metadata": map[string]any{"name": "cluster"}, "spec": map[string]any{"managementState": "Managed"},
	}}, metav1.CreateOptions{})
	require.NoError(c.t, err)
	c.patch(bootImageManager, `{"status":{"observedGeneration":1,"conditions":[
		{"type":"BootImageUpdateDegraded","status":"False","reason":"NA","message":"","lastTransitionTime":"2026-05-22T12:00:00Z"},
		{"type":"BootImageUpdateProgressing","status":"False","reason":"NA","message":"","lastTransitionTime":"2026-05-22T12:00:00Z"}]}}`)
}

func (c *configuration) delete() {
	c.t.Helper()
	err := c.raw.Delete(context.WithoutCancel(c.t.Context()), "cluster", metav1.DeleteOptions{})
	if !apierrors.IsNotFound(err) {
		require.NoError(c.t, err)
	}
}

// patch patches the status as another process would.
func (c *configuration) patch(manager, patch string) {
	c.t.Helper()
	_, err := c.raw.Patch(c.t.Context(), "cluster", types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: manager}, "status")
	require.NoError(c.t, err)
}

func (c *configuration) object() *unstructured.Unstructured {
	c.t.Helper()
	object, err := c.raw.Get(c.t.Context(), "cluster", metav1.GetOptions{})
	require.NoError(c.t, err)
	return object
}

func (c *configuration) conditions() []metav1.Condition {
	c.t.Helper()
	mc, err := c.admin.OperatorV1().MachineConfigurations().Get(c.t.Context(), "cluster", metav1.GetOptions{})
	require.NoError(c.t, err)
	return mc.Status.Conditions
}

// condition returns a condition, or the zero value.
func (c *configuration) condition(name string) metav1.Condition {
	c.t.Helper()
	condition, _ := statusOf(c.conditions(), name)
	return condition
}

// untouched asserts that the fields of other processes are unchanged, and that each Reporter owns only its
// own conditions.
func (c *configuration) untouched() {
	c.t.Helper()
	assert.Equal(c.t, "NA", c.condition(bootImageType).Reason)
	object := c.object()
	observed, _, err := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	require.NoError(c.t, err)
	assert.EqualValues(c.t, 1, observed)
	for _, entry := range object.GetManagedFields() {
		if entry.Manager != "machine-config-operator-state" && entry.Manager != "machine-config-controller-state" {
			continue
		}
		assert.Equal(c.t, "status", entry.Subresource)
		assert.Equal(c.t, metav1.ManagedFieldsOperationApply, entry.Operation, "%s", entry.Manager)
		var fields struct {
			Status map[string]map[string]any `json:"f:status"`
		}
		require.NoError(c.t, json.Unmarshal([]byte(entry.FieldsV1.GetRawString()), &fields))
		assert.Len(c.t, fields.Status, 1, "%s owns only conditions", entry.Manager)
		for key := range fields.Status["f:conditions"] {
			assert.Contains(c.t, key, `{"type":"MachineConfig`)
		}
	}
}

// process is a running Reporter with its own informer and clock.
type process struct {
	*components.Reporter
	clock    *clocktesting.FakeClock
	requests *transport
	stop     func()
}

// run starts a Reporter with the permissions of config. The informer has an administrator's
// permissions, and its requests are not counted.
func (c *configuration) run(component components.Component, config *rest.Config) *process {
	c.t.Helper()
	p := &process{requests: &transport{}, clock: clocktesting.NewFakeClock(time.Now())}
	config = rest.CopyConfig(config)
	config.Wrap(p.requests.wrap)
	clientset, err := operatorclientset.NewForConfig(config)
	require.NoError(c.t, err)
	factory := operatorinformers.NewSharedInformerFactory(c.admin, 0)
	informer := factory.Operator().V1().MachineConfigurations()
	p.Reporter, err = components.New(components.Config{
		Client: clientset.OperatorV1().MachineConfigurations(), Lister: informer.Lister(), Component: component, Clock: p.clock,
	})
	require.NoError(c.t, err)
	ctx, cancel := context.WithCancel(c.t.Context())
	hasSynced := informer.Informer().HasSynced
	factory.StartWithContext(ctx)
	require.True(c.t, cache.WaitForCacheSync(ctx.Done(), hasSynced))
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(c.t, p.Run(ctx)) })
	p.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		factory.Shutdown()
	})
	c.t.Cleanup(p.stop)
	return p
}

// operatorSync is one sync of the operator.
func (p *process) operatorSync(err error) {
	end := p.Begin(components.OperatorSync, "")
	p.Begin(components.OperatorSyncMCD, "")(err)
	end(err)
}

// until advances the clocks of the processes in steps of 30 seconds until a check is true.
func until(t *testing.T, check func() bool, processes ...*process) {
	t.Helper()
	eventually(t, func() bool {
		for _, p := range processes {
			p.clock.Step(30 * time.Second)
		}
		return check()
	})
}
