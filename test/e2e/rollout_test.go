package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// TestRollout: the object of each kind of node.
func TestRollout(t *testing.T) {
	f := newFleet(t)
	f.run()
	node := f.node("plain", "worker", "rendered-1")
	f.node("control", "master", "rendered-1", func(n *corev1.Node) { n.Labels["node-role.kubernetes.io/worker"] = "" })
	f.node("custom", "infra", "rendered-1", func(n *corev1.Node) { n.Labels["node-role.kubernetes.io/worker"] = "" })
	f.node("bare", "worker", "rendered-1", func(n *corev1.Node) { n.Annotations, n.Labels = nil, nil })
	f.node("windows", "worker", "rendered-1", func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "windows" })
	f.node("split", "infra", "rendered-1", func(n *corev1.Node) { n.Labels["node-role.kubernetes.io/gpu"] = "" })
	f.node("last", "worker", "rendered-1")

	plain := f.eventually("plain", hasSpec("worker", "rendered-1"))
	assert.Equal(t, []metav1.OwnerReference{node.owner()}, plain.OwnerReferences)
	f.eventually("control", hasSpec("master", "rendered-1"))
	f.eventually("custom", hasSpec("infra", "rendered-1"))
	f.eventually("bare", hasSpec("not-yet-set", "not-yet-set"))
	f.eventually("split", hasSpec("not-yet-set", "rendered-1"))
	f.eventually("last", exists)
	assert.Nil(t, f.object("windows"))
	assert.Contains(t, <-f.recorder.Events, "Warning PoolConflict node split is selected by conflicting pools (gpu, infra)")

	f.patch("plain", "annotations.desiredConfig=rendered-2")
	f.eventually("plain", hasSpec("worker", "rendered-2"))
	f.patch("plain", "labels.infra=")
	f.eventually("plain", hasSpec("infra", "rendered-2"))
	f.patch("split", "labels.gpu=-")
	f.eventually("split", hasSpec("infra", "rendered-1"))
	f.patch("bare", "labels.worker=", "annotations.desiredConfig=rendered-9")
	f.eventually("bare", hasSpec("worker", "rendered-9"))

	conflicts := f.requests.answered(http.StatusConflict) // while its cache is behind its own write
	assert.Equal(t, 6+4, f.requests.of("create", "spec")-conflicts, "one write per object or change: %v", f.requests)
	assert.Zero(t, f.requests.of("status"))
	for code := range http.StatusInternalServerError {
		if code >= http.StatusBadRequest && code != http.StatusConflict {
			assert.Zero(t, f.requests.answered(code), "responses with %d", code)
		}
	}

	f.stop()
	f.run()
	f.node("after-the-restart", "worker", "rendered-1")
	f.eventually("after-the-restart", exists)
	assert.Equal(t, 1, f.requests.of("create", "spec"), "a restart writes only what changed: %v", f.requests)
}

// TestRolloutAndDaemon: both sides write the object of a node during updates. Neither reverts
// what the other has written.
func TestRolloutAndDaemon(t *testing.T) {
	const updates = 10
	f := newFleet(t)
	f.run()
	node := f.node("shared", "worker", "rendered-00")
	f.eventually("shared", exists)
	monitor, daemon := node.monitor("worker")
	history := watchFrom(t, node)
	for i := range updates {
		desired := fmt.Sprintf("rendered-%02d", i+1)
		node.node = f.patch("shared", "annotations.desiredConfig="+desired)
		require.NoError(t, monitor.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
		for i, c := range rebootCalls {
			if i == len(rebootCalls)-1 {
				node.node = f.patch("shared", "annotations.currentConfig="+desired)
			}
			c.make(t, monitor)
		}
	}

	history.catchUp()
	var observed []string
	for _, event := range history.events {
		observed = append(observed, event.Spec.ConfigVersion.Desired)
	}
	assert.Len(t, slices.Compact(slices.Clone(observed)), updates+1)
	assert.True(t, slices.IsSorted(observed), "the desired config was reverted: %v", observed)
	t.Logf("the daemon made %v, the controller %v; conflicts: %d and %d", daemon, f.requests, daemon.answered(http.StatusConflict), f.requests.answered(http.StatusConflict))
	assert.Less(t, daemon.answered(http.StatusConflict)+f.requests.answered(http.StatusConflict), 10*updates)
}

// TestRolloutOfImages: an image that both sides have set is removed with the annotation.
func TestRolloutOfImages(t *testing.T) {
	f := newFleet(t)
	f.run(func(c *rollout.Config) { c.ImageMode = func() bool { return true } })
	image := "registry.example.com/os/rhcos@sha256:" + strings.Repeat("a", 64)
	other := "registry.example.com/os/rhcos@sha256:" + strings.Repeat("b", 64)
	hasImage := func(image string) func(*mcfgv1.MachineConfigNode) bool {
		return func(mcn *mcfgv1.MachineConfigNode) bool {
			return mcn != nil && string(mcn.Spec.ConfigImage.DesiredImage) == image
		}
	}
	node := f.node("layered", "worker", "rendered-1", func(n *corev1.Node) { n.Annotations[upgrademonitor.DesiredImageAnnotation] = image })
	f.eventually("layered", hasImage(image))
	f.stop()

	node.imageMode = true
	monitor, _ := node.monitor("worker")
	node.node = f.patch("layered", "annotations.desiredImage="+other)
	require.NoError(t, monitor.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.True(t, hasImage(other)(f.object("layered")))
	f.patch("layered", "annotations.desiredImage=-")
	f.run(func(c *rollout.Config) { c.ImageMode = func() bool { return true } })
	f.eventually("layered", hasImage(""))
}

// TestRolloutUnderFaults changes nodes while requests fail, with each fault: afterwards every
// object is up to date.
func TestRolloutUnderFaults(t *testing.T) {
	f := newFleet(t)
	f.run()
	f.node("old", "worker", "rendered-0")
	f.eventually("old", exists)
	for i, name := range slices.Sorted(maps.Keys(faults)) {
		t.Run(name, func(*testing.T) {
			seen := f.requests.failing(faults[name])
			desired := fmt.Sprintf("rendered-%d", i+1)
			f.patch("old", "annotations.desiredConfig="+desired)
			f.node(fmt.Sprintf("new-%d", i), "worker", desired)
			<-seen
			f.requests.fail(nil)
			f.eventually("old", hasSpec("worker", desired))
			f.eventually(fmt.Sprintf("new-%d", i), hasSpec("worker", desired))
		})
	}
}

// TestRolloutWithoutServers stops the servers while nodes are being created.
func TestRolloutWithoutServers(t *testing.T) {
	const nodes = 20
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t)
			f.run()
			for i := range nodes {
				f.node(fmt.Sprintf("node-%d", i), "worker", "rendered-1")
			}
			require.NoError(t, outage.begin(t.Context(), f.cluster))
			require.NoError(t, outage.end(t.Context(), f.cluster))
			for i := range nodes {
				f.eventually(fmt.Sprintf("node-%d", i), hasSpec("worker", "rendered-1"))
			}
			f.stop()
			f.run()
			f.node("later", "worker", "rendered-1")
			f.eventually("later", exists)
			conflicts := f.requests.answered(http.StatusConflict) // while its cache is behind
			assert.Equal(t, 1, f.requests.of("create", "spec")-conflicts, "everything else is up to date: %v", f.requests)
		})
	}
}
