package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

// In image mode on a cluster whose CRD has no configImage, the API server drops the image, and rollout writes the rest of
// the spec.
func TestRolloutNeedsNoFieldForImages(t *testing.T) {
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
