package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// TestRollout: one write for each object and each change of its Node. The API server rejects no
// write.
func TestRollout(t *testing.T) {
	f := newFleet(t)
	c := f.run()
	node := f.node("plain", "worker", "rendered-1")
	f.node("bare", "worker", "rendered-1", func(n *corev1.Node) { n.Annotations, n.Labels = nil, nil })
	f.node("split", "infra", "rendered-1", func(n *corev1.Node) { n.Labels["node-role.kubernetes.io/gpu"] = "" })
	plain := f.eventually("plain", hasSpec("worker", "rendered-1"))
	assert.Equal(t, []metav1.OwnerReference{node.owner()}, plain.OwnerReferences)
	f.eventually("bare", hasSpec("not-yet-set", "not-yet-set"))
	f.eventually("split", hasSpec("not-yet-set", "rendered-1"))
	f.eventuallyEvent("PoolConflict", "node split is selected by conflicting pools (gpu, infra)")
	f.change("plain", "desiredConfig=rendered-2")
	f.eventually("plain", hasSpec("worker", "rendered-2"))
	f.change("plain", "+infra")
	f.eventually("plain", hasSpec("infra", "rendered-2"))
	f.change("split", "-gpu")
	f.eventually("split", hasSpec("infra", "rendered-1"))

	conflicts := c.requests.answered(http.StatusConflict) // while its cache does not have its own write
	assert.Equal(t, 3+3, c.requests.of("create", "spec")-conflicts, "%v", c.requests)
	for code := range http.StatusInternalServerError {
		if code >= http.StatusBadRequest && code != http.StatusConflict {
			assert.Zero(t, c.requests.answered(code), "responses with %d", code)
		}
	}
	c.stop()
	f.checkRestart()
}

// TestRolloutWithoutTheFieldForImages: image mode with the CRD of standard mode.
func TestRolloutWithoutTheFieldForImages(t *testing.T) {
	sameWhenGuarded(t)
	require.NoError(t, installOperator(t.Context(), standard))
	f := fleetOn(t, standard, "worker")
	c := f.run(func(c *rollout.Config) { c.ImageMode = func() bool { return true } })
	f.node("layered", "worker", "rendered-1", func(n *corev1.Node) {
		n.Annotations[annotationPrefix+"desiredImage"] = "registry.example.com/os/rhcos@sha256:" + strings.Repeat("a", 64)
	})
	f.eventually("layered", hasSpec("worker", "rendered-1"))
	f.change("layered", "desiredConfig=rendered-2")
	f.eventually("layered", hasSpec("worker", "rendered-2"))
	c.stop()
	assert.Zero(t, c.requests.answered(http.StatusInternalServerError))
}
