package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"

	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// TestRolloutOfOwners: an administrator adds owners. Another Node is removed, whoever has added
// it; an owner of another kind is kept.
func TestRolloutOfOwners(t *testing.T) {
	f := newFleet(t)
	f.run()
	node := f.node("owned", "worker", "rendered-1")
	mcn := f.eventually("owned", exists)
	yes := true
	machine := metav1.OwnerReference{APIVersion: "machine.openshift.io/v1beta1", Kind: "Machine", Name: "m", UID: "m", Controller: &yes}
	namesake := metav1.OwnerReference{APIVersion: "example.com/v1", Kind: "Node", Name: "owned", UID: "n"}
	mcn.OwnerReferences = append(mcn.OwnerReferences, machine, namesake, metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "other", UID: "o"})
	_, err := f.mcfg.MachineconfigurationV1().MachineConfigNodes().Update(t.Context(), mcn, metav1.UpdateOptions{FieldManager: "administrator"})
	require.NoError(t, err)

	f.eventually("owned", func(mcn *mcfgv1.MachineConfigNode) bool { return len(mcn.OwnerReferences) == 3 })
	mcn = f.object("owned")
	assert.ElementsMatch(t, []metav1.OwnerReference{machine, namesake, {APIVersion: "v1", Kind: "Node", Name: "owned", UID: node.UID}}, mcn.OwnerReferences)

	f.stop()
	f.run()
	f.node("later", "worker", "rendered-1")
	f.eventually("later", exists)
	assert.Equal(t, 1, f.requests.of("create")+f.requests.of("spec"), "what is up to date is not written: %v", f.requests)
}

// TestRolloutWithoutACacheOfTheObject: the informer's cache lacks an object that exists. Its spec
// is not reverted.
func TestRolloutWithoutACacheOfTheObject(t *testing.T) {
	f := newFleet(t)
	node := f.node("unseen", "worker", "rendered-1")
	monitor, _, _ := f.daemon(node, false)
	require.NoError(t, monitor.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	f.patch("unseen", "labels.infra=", "labels.gpu=")
	moved := f.node("moved", "worker", "rendered-1")
	monitor, _, _ = f.daemon(moved, false)
	require.NoError(t, monitor.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	f.patch("moved", "labels.worker=-", "labels.infra=")

	behind := mcfginformers.NewSharedInformerFactoryWithOptions(f.mcfg, 0, mcfginformers.WithTransform(pool.Trim),
		mcfginformers.WithTweakListOptions(func(o *metav1.ListOptions) { o.FieldSelector = "metadata.name=another" }))
	objects := behind.Machineconfiguration().V1().MachineConfigNodes()
	objects.Informer()
	ctx, cancel := context.WithCancel(t.Context())
	behind.StartWithContext(ctx)
	defer behind.Shutdown()
	defer cancel()
	f.run(func(c *rollout.Config) { c.MachineConfigNodes = objects })
	require.Eventually(t, func() bool { return f.requests.answered(http.StatusConflict) > 0 }, time.Minute, 10*time.Millisecond)
	f.node("another", "worker", "rendered-1")
	f.eventually("another", exists)
	f.stop()
	assert.Equal(t, "worker", f.object("unseen").Spec.Pool.Name, "two custom pools select it: the pool is kept")
	assert.Equal(t, "worker", f.object("moved").Spec.Pool.Name, "it exists: a conflict, until the cache has the object")
	assert.Zero(t, f.requests.of("spec"))
}

// TestRolloutWithoutTheFieldForImages: image mode with the CRD of standard mode.
func TestRolloutWithoutTheFieldForImages(t *testing.T) {
	const name = "no-image-field"
	require.NoError(t, cluster.InstallPoolCRD(t.Context(), standard.Config()))
	require.NoError(t, installOperator(t.Context(), standard))
	f := &fleet{t: t, cluster: standard, recorder: record.NewFakeRecorder(100)}
	f.core, f.mcfg = kubernetes.NewForConfigOrDie(standard.Config()), mcfgclientset.NewForConfigOrDie(standard.Config())
	f.pool("worker")
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		assert.NoError(t, f.core.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{}))
		assert.NoError(t, f.mcfg.MachineconfigurationV1().MachineConfigNodes().Delete(ctx, name, metav1.DeleteOptions{}))
		assert.NoError(t, f.mcfg.MachineconfigurationV1().MachineConfigPools().Delete(ctx, "worker", metav1.DeleteOptions{}))
	})
	f.run(func(c *rollout.Config) {
		c.ImageMode = func() bool { return true }
		c.OrphanGrace = time.Hour // there are objects of other tests
	})
	f.node(name, "worker", "rendered-1", func(n *corev1.Node) {
		n.Annotations[upgrademonitor.DesiredImageAnnotation] = "registry.example.com/os/rhcos@sha256:" + strings.Repeat("a", 64)
	})
	f.eventually(name, hasSpec("worker", "rendered-1"))
	f.patch(name, "annotations.desiredConfig=rendered-2")
	f.eventually(name, hasSpec("worker", "rendered-2"))
	f.stop()
	assert.Zero(t, f.requests.answered(http.StatusInternalServerError))
}
