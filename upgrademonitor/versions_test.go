package upgrademonitor_test

import (
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

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
	f.settle(t)
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
		f.settle(t)
		assert.Zero(t, f.object(t).Status.ConfigImage, image)
	}
}

func TestImagesCountInImageModeOnly(t *testing.T) {
	f := newFixture(t)
	f.annotateImages(oldImage, newImage)
	f.settle(t)
	require.NoError(t, f.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
	assert.Zero(t, f.object(t).Status.ConfigImage)
	assert.Zero(t, f.object(t).Spec.ConfigImage)
}

func TestModeChangeKeepsWhatBothModesHave(t *testing.T) {
	on := false
	f := newFixture(t, inImageMode(&on))
	f.settle(t)
	f.report(t, phases.Updated, metav1.ConditionFalse)
	f.report(t, phases.Cordoned, metav1.ConditionTrue)
	before := f.condition(t, phases.Cordoned)

	on = true
	f.report(t, phases.AppliedFiles, metav1.ConditionUnknown)
	assert.Equal(t, before, f.condition(t, phases.Cordoned))
	var types []phases.Phase
	for _, c := range f.object(t).Status.Conditions {
		types = append(types, phases.Phase(c.Type))
	}
	assert.Equal(t, phases.All(true), types)
}

// TestListerIsPreferredWhenItIsNewer has another process write what this one did not see.
func TestListerIsPreferredWhenItIsNewer(t *testing.T) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	f := newFixture(t, func(c *upgrademonitor.Config) { c.Lister = mcfglisters.NewMachineConfigNodeLister(indexer) })
	list := func(resourceVersion string, drained metav1.ConditionStatus) {
		object := settledObject(t)
		object.ResourceVersion = resourceVersion
		for i := range object.Status.Conditions {
			if object.Status.Conditions[i].Type == "Drained" {
				object.Status.Conditions[i].Status = drained
			}
			if object.Status.Conditions[i].Type == "Updated" {
				object.Status.Conditions[i].Status = metav1.ConditionFalse
			}
		}
		require.NoError(t, indexer.Add(object))
		_, err := f.clientset.MachineconfigurationV1().MachineConfigNodes().Create(t.Context(), object, metav1.CreateOptions{})
		if err != nil {
			_, err = f.clientset.MachineconfigurationV1().MachineConfigNodes().Update(t.Context(), object, metav1.UpdateOptions{})
		}
		require.NoError(t, err)
		f.clientset.ClearActions()
	}

	list("100", metav1.ConditionFalse)
	f.report(t, phases.Drained, metav1.ConditionUnknown)
	assert.Equal(t, []string{"patch/status"}, f.requests(), "no read")

	list("200", metav1.ConditionTrue)
	f.report(t, phases.Drained, metav1.ConditionUnknown)
	assert.Equal(t, []string{"patch/status", "patch/status"}, f.requests(), "retried: False, then Unknown")

	list("99", metav1.ConditionTrue)
	err := f.GenerateAndApplyMachineConfigNode(t.Context(), phases.Drained, "Drained", "", metav1.ConditionFalse)
	require.Error(t, err, "an older object tells nothing")
}
