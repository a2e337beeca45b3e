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

const disable = "disable image mode"

// imagesIn returns the current and the desired image of the status, and the desired image of the spec.
func imagesIn(s planner.State) string {
	return string(s.Status.ConfigImage.CurrentImage + "/" + s.Status.ConfigImage.DesiredImage + "/" + s.Spec.ConfigImage.DesiredImage)
}

// The images of the status and of the spec, and the name of the update, through updates that enable image
// mode, change the image, disable image mode, and change only the config.
func TestImagesOfUpdates(t *testing.T) {
	s := between(t, imageNodeOf("", ""))
	for _, update := range []struct {
		from, to string // images
		config   string
		name     string
	}{
		{"", "1", "a", "1"},
		{"1", "2", "a", "2"},
		{"2", "2", "b", "b"},
		{"2", "", "b", disable},
		{"", "", "c", "c"},
	} {
		n := imageNodeOf(update.from, update.to)
		n.DesiredConfig = update.config
		s = after(t, s, report(phases.Updated, metav1.ConditionFalse, n))
		assert.Equal(t, update.from+"/"+update.from+"/"+update.to, imagesIn(s), "%s started", update.name)
		s = after(t, s, report(phases.UpdatePrepared, metav1.ConditionTrue, n))
		assert.Equal(t, update.from+"/"+update.to+"/"+update.to, imagesIn(s), "%s prepared", update.name)
		another := n
		another.DesiredConfig = "z"
		unfinished := after(t, s, report(phases.Drained, metav1.ConditionUnknown, n), report(phases.Updated, metav1.ConditionFalse, another))
		assert.Equal(t, "Action during update to "+update.name+": about Drained", conditions.Find(unfinished.Status.Conditions, phases.Drained).Message)
		applied := phases.AppliedFiles
		if update.from != update.to || update.to == "" {
			applied = phases.AppliedOSImage
		}
		n.CurrentImage, n.CurrentConfig = update.to, update.config
		s = after(t, s, report(applied, metav1.ConditionTrue, n), report(phases.Updated, metav1.ConditionTrue, n))
		assert.Equal(t, update.to+"/"+update.to+"/"+update.to, imagesIn(s), "%s completed", update.name)
		assert.Equal(t, "Action during update to "+update.name+": about "+string(applied), conditions.Find(s.Status.Conditions, applied).Message)
	}
}

// At the end of an update, an image annotation that the CRD rejects leaves the image of the status. One that is
// missing removes it.
func TestInvalidImagesAtTheEnd(t *testing.T) {
	invalidCurrent, invalidDesired := imageNodeOf("", "2"), imageNodeOf("2", "")
	invalidCurrent.InvalidCurrentImage, invalidDesired.InvalidDesiredImage = true, true
	withoutDesired := imageNodeOf("", "")
	withoutDesired.InvalidCurrentImage = true
	withoutConfig := imageNodeOf("", "")
	withoutConfig.CurrentConfig, withoutConfig.DesiredConfig = "", ""
	for name, tc := range map[string]struct {
		node planner.Node
		want string
	}{
		"an invalid current image": {invalidCurrent, "1/2/2"},
		"an invalid desired image": {invalidDesired, "2/2/2"},
		"invalid and no desired":   {withoutDesired, "1/2/"},
		"no image":                 {imageNodeOf("", ""), "//"},
		"no annotation at all":     {withoutConfig, "1/2/2"},
	} {
		t.Run(name, func(t *testing.T) {
			s := after(t, between(t, imageNodeOf("1", "1")), report(phases.Updated, metav1.ConditionFalse, imageNodeOf("1", "2")),
				report(phases.UpdatePrepared, metav1.ConditionTrue, imageNodeOf("1", "2")))
			s = after(t, s.WithSpecOf(tc.node), report(phases.Updated, metav1.ConditionTrue, tc.node))
			assert.Equal(t, tc.want, imagesIn(s))
		})
	}
}

// UpdatePrepared=True copies the desired image, unless the CRD rejects it.
func TestAnInvalidImageThatIsPrepared(t *testing.T) {
	invalid := imageNodeOf("1", "")
	invalid.DesiredConfig, invalid.InvalidDesiredImage = "b", true
	s := after(t, between(t, imageNodeOf("1", "1")), report(phases.Updated, metav1.ConditionFalse, invalid),
		report(phases.UpdatePrepared, metav1.ConditionTrue, invalid))
	assert.Equal(t, "1/1/1", imagesIn(s))
	assert.Equal(t, "b", s.Status.ConfigVersion.Desired)
}

// In standard mode, the object gets no images, even if the Node has them. They do not name an update.
func TestNoImagesInStandardMode(t *testing.T) {
	n := imageNodeOf("1", "2")
	n.Mode = planner.ModeOfObject
	s := after(t, between(t, nodeOf("a", "a")), report(phases.Updated, metav1.ConditionFalse, n),
		report(phases.UpdatePrepared, metav1.ConditionTrue, n), report(phases.Updated, metav1.ConditionTrue, n))
	assert.Equal(t, "//", imagesIn(s))
	s.Status.ConfigImage.CurrentImage = "1" // from image mode
	b := nodeOf("b", "b")
	s = after(t, s, report(phases.Drained, metav1.ConditionUnknown, b), report(phases.Updated, metav1.ConditionTrue, b))
	assert.Equal(t, "Action during update to b: about Drained", conditions.Find(s.Status.Conditions, phases.Drained).Message)
}

// Which report starts an update of a Node that runs config a and image 1, and desired both. A repeat of the
// report changes nothing.
func TestNewTarget(t *testing.T) {
	invalid := imageNodeOf("1", "")
	invalid.InvalidDesiredImage = true
	noConfig := imageNodeOf("1", "2")
	noConfig.DesiredConfig = ""
	standard := imageNodeOf("1", "2")
	standard.Mode = planner.Standard
	another := imageNodeOf("1", "1")
	another.DesiredConfig = "b"
	for name, tc := range map[string]struct {
		known  planner.Node
		node   planner.Node
		starts bool
	}{
		"the same":                         {imageNodeOf("1", "1"), imageNodeOf("1", "1"), false},
		"another config":                   {imageNodeOf("1", "1"), another, true},
		"another image":                    {imageNodeOf("1", "1"), imageNodeOf("1", "2"), true},
		"no image":                         {imageNodeOf("1", "1"), imageNodeOf("1", ""), true},
		"an invalid image":                 {imageNodeOf("1", "1"), invalid, false},
		"no config":                        {imageNodeOf("1", "1"), noConfig, false},
		"standard mode":                    {imageNodeOf("1", "1"), standard, false},
		"an image becomes known, it runs":  {imageNodeOf("", ""), imageNodeOf("1", "1"), false},
		"an image becomes known, another":  {imageNodeOf("", ""), imageNodeOf("1", "2"), true},
		"the desired image becomes known":  {imageNodeOf("1", ""), imageNodeOf("1", "1"), true},
		"the current image becomes known":  {imageNodeOf("", "1"), imageNodeOf("1", "1"), false},
		"image mode is being disabled":     {imageNodeOf("1", ""), imageNodeOf("1", ""), false},
		"image mode is disabled, not here": {imageNodeOf("1", ""), imageNodeOf("", ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := after(t, between(t, tc.known), report(phases.Updated, metav1.ConditionFalse, tc.known), report(phases.UpdatePrepared, metav1.ConditionTrue, tc.known))
			report := report(phases.Updated, metav1.ConditionFalse, tc.node)
			assert.Equal(t, tc.starts, startsUpdate(t, s, report))
			again, err := writesOf(report, after(t, s, report))
			require.NoError(t, err)
			assert.Empty(t, again.States, "a repeat")
		})
	}
}

// If Updated was never reported, no update is under way: the first Updated=False starts one, even for
// the config that the spec desires. Older daemons spell the reason differently.
func TestTheFirstUpdate(t *testing.T) {
	for reason, want := range map[string]bool{"NotYetOccurred": true, "NotYetOccured": true, "Updated": false} {
		s := planner.State{Generation: 1}.WithSpecOf(nodeOf("a", "b"))
		s.Status.Conditions = conditions.Complete(nil, false, now)
		conditions.Find(s.Status.Conditions, phases.Updated).Reason = reason
		assert.Equal(t, want, startsUpdate(t, s, report(phases.Updated, metav1.ConditionFalse, nodeOf("a", "b"))), reason)
		assert.False(t, startsUpdate(t, s, report(phases.UpdatePrepared, metav1.ConditionUnknown, nodeOf("a", "c"))), reason)
	}
}
