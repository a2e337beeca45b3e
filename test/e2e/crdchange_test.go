package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/test/cluster"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// The CRD gets the field for images during an update, which the daemon notices when it is
// restarted, and loses it again in the next one.
func TestTheCRDChangesDuringAnUpdate(t *testing.T) {
	sameWhenGuarded(t)
	c, err := cluster.Start(t.Context(), cluster.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Stop()) })
	w := unguardedNodeOn(t, c, "crd-changes")
	w.imageMode = true
	counted := &requests{}
	restart := func() *upgrademonitor.Monitor {
		return w.build(func(c *upgrademonitor.Config) { c.Timeout = time.Minute }, counted.wrap)
	}
	m := restart()
	w.consistency.crdChanges = true
	w.annotateImages(oldConfig, oldConfig, oldImage, oldImage)
	require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	imageCalls[len(imageCalls)-1].make(t, m)
	assert.Zero(t, w.object().Status.ConfigImage)

	for _, images := range []bool{true, false} {
		for i, call := range imageCalls {
			if i == 3 {
				require.NoError(t, cluster.InstallCRD(t.Context(), c.Config(), images))
				if images {
					m = restart()
				}
			}
			w.annotateImages(oldConfig, oldConfig, oldImage, newImage)
			if i == len(imageCalls)-1 {
				w.annotateImages(oldConfig, oldConfig, newImage, newImage)
			}
			require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
			call.make(t, m)
		}
		after := w.object()
		assert.Equal(t, images, string(after.Spec.ConfigImage.DesiredImage) == newImage)
		assert.Equal(t, images, string(after.Status.ConfigImage.CurrentImage) == newImage)
		assert.Equal(t, images, string(after.Status.ConfigImage.DesiredImage) == newImage)
	}
	assert.Zero(t, counted.answered(http.StatusUnprocessableEntity))
}
