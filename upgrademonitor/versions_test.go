package upgrademonitor_test

import (
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

var (
	oldImage = "quay.io/mco/os@sha256:" + strings.Repeat("1", 64)
	newImage = "quay.io/mco/os@sha256:" + strings.Repeat("2", 64)
)

func inImageMode(on *bool) func(*upgrademonitor.Config) {
	return func(c *upgrademonitor.Config) { c.ImageMode = func() bool { return *on } }
}

func (f *fixture) annotateImages(current, desired string) {
	f.node = f.node.DeepCopy()
	f.node.Annotations[upgrademonitor.CurrentImageAnnotation] = current
	f.node.Annotations[upgrademonitor.DesiredImageAnnotation] = desired
}

func images(current, desired string) mcfgv1.MachineConfigNodeStatusConfigImage {
	return mcfgv1.MachineConfigNodeStatusConfigImage{
		CurrentImage: mcfgv1.ImageDigestFormat(current),
		DesiredImage: mcfgv1.ImageDigestFormat(desired),
	}
}

func TestImagesFollowTheNode(t *testing.T) {
	on := true
	f := newFixture(t, inImageMode(&on))
	f.reportUpdated(t)
	for _, update := range []struct{ name, from, to, prefix string }{
		{"enable", "", oldImage, oldImage},
		{"update", oldImage, newImage, newImage},
		{"disable", newImage, "", "disable image mode"},
	} {
		f.annotateImages(update.from, update.to)
		f.report(t, phases.Updated, metav1.ConditionFalse)
		assert.Equal(t, images(update.from, update.from), f.object(t).Status.ConfigImage, "%s: begun", update.name)
		require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
		assert.Equal(t, update.to, string(f.object(t).Spec.ConfigImage.DesiredImage), "%s: spec", update.name)
		f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
		assert.Equal(t, images(update.from, update.to), f.object(t).Status.ConfigImage, "%s: validated", update.name)
		f.report(t, phases.AppliedOSImage, metav1.ConditionTrue)
		f.annotateImages(update.to, update.to)
		f.report(t, phases.Updated, metav1.ConditionTrue)
		assert.Equal(t, images(update.to, update.to), f.object(t).Status.ConfigImage, "%s: ended", update.name)
		assert.Equal(t, "Action during update to "+update.prefix+": about AppliedOSImage", f.condition(t, phases.AppliedOSImage).Message, update.name)
	}
}

func TestImagesThatTheCRDRejectsAreLeftOut(t *testing.T) {
	on := true
	for _, image := range []string{
		"quay.io/mco/os:latest", "quay.io/mco/os", "os@sha256:" + strings.Repeat("1", 64), oldImage + "0", oldImage + "@" + oldImage,
		"https://" + oldImage, "quay.io/" + strings.Repeat("a", 447) + "@sha256:" + strings.Repeat("1", 64),
	} {
		f := newFixture(t, inImageMode(&on))
		f.annotateImages(image, image)
		f.reportUpdated(t)
		assert.Zero(t, f.object(t).Status.ConfigImage, image)
	}
}

func TestImagesCountInImageModeOnly(t *testing.T) {
	f := newFixture(t)
	f.annotateImages(oldImage, newImage)
	f.reportUpdated(t)
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.Zero(t, f.object(t).Status.ConfigImage)
	assert.Zero(t, f.object(t).Spec.ConfigImage)
}

// Image mode is switched on during the update of a node that runs its image already: whichever
// report shows the image first, the update goes on, and is named after its config.
func TestImageThatBecomesKnownDuringAnUpdate(t *testing.T) {
	for _, prepared := range []bool{false, true} {
		on := false
		f := newFixture(t, inImageMode(&on))
		f.reportUpdated(t)
		f.annotate(oldConfig, newConfig)
		f.annotateImages(oldImage, oldImage)
		f.report(t, phases.Updated, metav1.ConditionFalse)
		if prepared {
			f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
		}
		f.report(t, phases.Drained, metav1.ConditionTrue)

		on = true
		f = f.another(t, inImageMode(&on)) // the daemon restarts
		f.ReportPinnedImageSets(t.Context(), nil, nil)
		f.report(t, phases.Updated, metav1.ConditionFalse)
		assert.Equal(t, metav1.ConditionTrue, f.condition(t, phases.Drained).Status, "prepared %t: the update has begun again", prepared)
		f.report(t, phases.Updated, metav1.ConditionTrue)
		assert.Contains(t, f.condition(t, phases.Drained).Message, "Action during update to "+newConfig+": ")
	}
}

func TestImagesStayWhereTheNodeSaysNothing(t *testing.T) {
	on := true
	f := newFixture(t, inImageMode(&on))
	f.annotateImages(oldImage, oldImage)
	f.reportUpdated(t)
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))

	f.annotateImages("", oldImage)
	f.report(t, phases.NodeDegraded, metav1.ConditionTrue)
	assert.Equal(t, images(oldImage, oldImage), f.object(t).Status.ConfigImage, "the current one is written with Updated=True only")

	f.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName}}
	f.report(t, phases.Updated, metav1.ConditionTrue)
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.Equal(t, images(oldImage, oldImage), f.object(t).Status.ConfigImage)
	assert.Equal(t, oldImage, string(f.object(t).Spec.ConfigImage.DesiredImage))
}

// An image that is invalid for the CRD does not disable image mode.
func TestInvalidImageIsNotDisabling(t *testing.T) {
	on := true
	f := newFixture(t, inImageMode(&on))
	f.annotateImages(oldImage, oldImage)
	f.reportUpdated(t)
	f.annotateImages(oldImage, "quay.io/mco/os:latest")
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.UpdatePrepared, metav1.ConditionTrue)
	f.report(t, phases.AppliedOSImage, metav1.ConditionTrue)
	f.report(t, phases.Updated, metav1.ConditionTrue)
	assert.NotContains(t, f.condition(t, phases.AppliedOSImage).Message, "disable image mode")
}
