package planner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// imagesIn returns the current and the desired image of the status, and the desired image of the spec.
func imagesIn(s planner.State) string {
	return string(s.Status.ConfigImage.CurrentImage + "/" + s.Status.ConfigImage.DesiredImage + "/" + s.Spec.ConfigImage.DesiredImage)
}

// Each case ends an update from image 1 to image 2, at a Node whose annotations are invalid or missing.
func TestTheEndKeepsAnImageIfTheAnnotationIsInvalidAndRemovesItIfItIsMissing(t *testing.T) {
	invalidCurrent, invalidDesired := imageNodeOf("", "2"), imageNodeOf("2", "")
	invalidCurrent.InvalidCurrentImage, invalidDesired.InvalidDesiredImage = true, true
	withoutDesired := imageNodeOf("", "")
	withoutDesired.InvalidCurrentImage = true
	withoutConfig := imageNodeOf("", "")
	withoutConfig.CurrentConfig, withoutConfig.DesiredConfig = "", ""
	for name, tc := range map[string]struct {
		node planner.Node
		want string // see imagesIn
	}{
		"the current image is invalid":                                   {invalidCurrent, "1/2/2"},
		"the desired image is invalid":                                   {invalidDesired, "2/2/2"},
		"the current image is invalid, and the desired image is missing": {withoutDesired, "1/2/"},
		"both images are missing":                                        {imageNodeOf("", ""), "//"},
		"images and configs are missing":                                 {withoutConfig, "1/2/2"},
	} {
		t.Run(name, func(t *testing.T) {
			s := after(t, between(t, imageNodeOf("1", "1")), report(phases.Updated, metav1.ConditionFalse, imageNodeOf("1", "2")),
				report(phases.UpdatePrepared, metav1.ConditionTrue, imageNodeOf("1", "2")))
			s = after(t, s.WithSpecOf(tc.node), report(phases.Updated, metav1.ConditionTrue, tc.node))
			assert.Equal(t, tc.want, imagesIn(s))
		})
	}
}

func TestUpdatePreparedDoesNotCopyAnInvalidImage(t *testing.T) {
	invalid := imageNodeOf("1", "")
	invalid.DesiredConfig, invalid.InvalidDesiredImage = "b", true
	s := after(t, between(t, imageNodeOf("1", "1")), report(phases.Updated, metav1.ConditionFalse, invalid),
		report(phases.UpdatePrepared, metav1.ConditionTrue, invalid))
	assert.Equal(t, "1/1/1", imagesIn(s))
	assert.Equal(t, "b", s.Status.ConfigVersion.Desired)

	s = after(t, between(t, imageNodeOf("1", "1")), report(phases.Updated, metav1.ConditionFalse, invalid),
		with(report(phases.UpdatePrepared, metav1.ConditionTrue, imageNodeOf("1", "3")), func(c *planner.Change) { c.Order = invalid.Versions }))
	assert.Equal(t, "1/1/3", imagesIn(s), "the order had an invalid image")
}

// The status has no images, even if the Node has image annotations. The prefix names the config, and not an image that is
// left in the status.
func TestStandardModeIgnoresImages(t *testing.T) {
	n := imageNodeOf("1", "2")
	n.Mode = planner.ModeOfObject
	s := after(t, between(t, nodeOf("a", "a")), report(phases.Updated, metav1.ConditionFalse, n),
		report(phases.UpdatePrepared, metav1.ConditionTrue, n), report(phases.Updated, metav1.ConditionTrue, n))
	assert.Equal(t, "//", imagesIn(s))
	s.Status.ConfigImage.CurrentImage = "1" // left over from image mode
	b := nodeOf("b", "b")
	s = after(t, s, report(phases.Drained, metav1.ConditionUnknown, b), report(phases.Updated, metav1.ConditionTrue, b))
	assert.Equal(t, "Action during update to b: about Drained", conditions.Find(s.Status.Conditions, phases.Drained).Message)
}

// The status has the target of the first Node. During that update, Updated=False for the second Node starts another update
// if the second Node desires another target. Otherwise it repeats the start, and changes nothing.
func TestAnotherConfigOrImageIsANewTarget(t *testing.T) {
	invalid := imageNodeOf("1", "")
	invalid.InvalidDesiredImage = true
	noConfig := imageNodeOf("1", "2")
	noConfig.DesiredConfig = ""
	standard := imageNodeOf("1", "2")
	standard.Mode = planner.Standard
	another := imageNodeOf("1", "1")
	another.DesiredConfig = "b"
	for name, tc := range map[string]struct {
		status planner.Node // the Node whose target is in the status
		node   planner.Node
		starts bool
	}{
		"the same config and image":                        {imageNodeOf("1", "1"), imageNodeOf("1", "1"), false},
		"another config":                                   {imageNodeOf("1", "1"), another, true},
		"another image":                                    {imageNodeOf("1", "1"), imageNodeOf("1", "2"), true},
		"the image is removed":                             {imageNodeOf("1", "1"), imageNodeOf("1", ""), true},
		"the image is invalid":                             {imageNodeOf("1", "1"), invalid, false},
		"the Node has no desired config":                   {imageNodeOf("1", "1"), noConfig, false},
		"another image in standard mode":                   {imageNodeOf("1", "1"), standard, false},
		"the first image, and the node runs it":            {imageNodeOf("", ""), imageNodeOf("1", "1"), false},
		"the first image, and the node runs another image": {imageNodeOf("", ""), imageNodeOf("1", "2"), true},
		"the current image is desired again":               {imageNodeOf("1", ""), imageNodeOf("1", "1"), true},
		"the node now runs the desired image":              {imageNodeOf("", "1"), imageNodeOf("1", "1"), false},
		"image mode is still being disabled":               {imageNodeOf("1", ""), imageNodeOf("1", ""), false},
		"image mode has been disabled":                     {imageNodeOf("1", ""), imageNodeOf("", ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := after(t, between(t, tc.status), report(phases.Updated, metav1.ConditionFalse, tc.status), report(phases.UpdatePrepared, metav1.ConditionTrue, tc.status))
			report := report(phases.Updated, metav1.ConditionFalse, tc.node)
			assert.Equal(t, tc.starts, startsUpdate(t, s, report))
			again, err := writesOf(report, after(t, s, report))
			require.NoError(t, err)
			assert.Empty(t, again.States, "a second report must be a repeat")
		})
	}
}
