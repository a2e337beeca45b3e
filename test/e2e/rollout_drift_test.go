package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor"
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
	_, err := f.nodes().Update(t.Context(), mcn, metav1.UpdateOptions{FieldManager: "administrator"})
	require.NoError(t, err)

	f.eventually("owned", func(mcn *mcfgv1.MachineConfigNode) bool { return len(mcn.OwnerReferences) == 3 })
	mcn = f.object("owned")
	assert.ElementsMatch(t, []metav1.OwnerReference{machine, namesake, node.owner()}, mcn.OwnerReferences)

	f.stop()
	f.run()
	f.node("later", "worker", "rendered-1")
	f.eventually("later", exists)
	assert.Equal(t, 1, f.requests.of("create", "spec"), "what is up to date is not written: %v", f.requests)
}

// TestRolloutWithAStaleCache: the informer's cache lacks objects that exist. They are read after a conflict, and nothing
// that another process wrote is reverted.
func TestRolloutWithAStaleCache(t *testing.T) {
	f := newFleet(t)
	node := f.node("unseen", "worker", "rendered-1")
	monitor, _ := node.monitor("worker")
	require.NoError(t, monitor.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	f.patch("unseen", "labels.infra=", "labels.gpu=")
	moved := f.node("moved", "worker", "rendered-1")
	monitor, _ = moved.monitor("worker")
	require.NoError(t, monitor.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	f.patch("moved", "labels.worker=-", "labels.infra=")

	behind := mcfginformers.NewSharedInformerFactoryWithOptions(f.mcfg, 0,
		mcfginformers.WithTweakListOptions(func(o *metav1.ListOptions) { o.FieldSelector = only("another").FieldSelector }))
	objects := behind.Machineconfiguration().V1().MachineConfigNodes()
	objects.Informer()
	ctx, cancel := context.WithCancel(t.Context())
	behind.StartWithContext(ctx)
	defer behind.Shutdown()
	defer cancel()
	f.run(func(c *rollout.Config) { c.MachineConfigNodes = objects })
	f.eventually("moved", hasSpec("infra", "rendered-1"))
	f.node("another", "worker", "rendered-1")
	f.eventually("another", exists)
	f.stop()
	assert.Equal(t, "worker", f.object("unseen").Spec.Pool.Name, "two custom pools select it: the pool is kept")
	assert.Equal(t, 1, f.requests.of("spec"))
	assert.LessOrEqual(t, f.requests.answered(http.StatusConflict), 2+4, "one an object and change of its Node")
}

// TestRolloutWithoutTheFieldForImages: image mode with the CRD of standard mode.
func TestRolloutWithoutTheFieldForImages(t *testing.T) {
	const name = "no-image-field"
	require.NoError(t, installOperator(t.Context(), standard))
	f := fleetOn(t, standard, "worker")
	f.run(func(c *rollout.Config) { c.ImageMode = func() bool { return true } })
	f.node(name, "worker", "rendered-1", func(n *corev1.Node) {
		n.Annotations[upgrademonitor.DesiredImageAnnotation] = "registry.example.com/os/rhcos@sha256:" + strings.Repeat("a", 64)
	})
	f.eventually(name, hasSpec("worker", "rendered-1"))
	f.patch(name, "annotations.desiredConfig=rendered-2")
	f.eventually(name, hasSpec("worker", "rendered-2"))
	f.stop()
	assert.Zero(t, f.requests.answered(http.StatusInternalServerError))
}
