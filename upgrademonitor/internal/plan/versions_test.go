package plan_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/nodeannotation"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/plan"
)

const prefixed = "Action during update to "

var (
	nodeA         = plan.Node{CurrentConfig: configA, DesiredConfig: configA, CurrentImage: imageA, DesiredImage: imageA}
	toB           = plan.Node{CurrentConfig: configA, DesiredConfig: configB, CurrentImage: imageA, DesiredImage: imageB}
	nodeB         = plan.Node{CurrentConfig: configB, DesiredConfig: configB, CurrentImage: imageB, DesiredImage: imageB}
	withoutImages = plan.Node{CurrentConfig: configB, DesiredConfig: configB}
)

// shown are the versions and images of the status, and those of the spec.
type shown struct {
	current, desired           string
	currentImage, desiredImage string
	specConfig, specImage      string
}

func shownIn(s plan.State) shown {
	status, spec := s.Object.Status, s.Object.Spec
	v := shown{
		currentImage: string(status.ConfigImage.CurrentImage), desiredImage: string(status.ConfigImage.DesiredImage),
		specConfig: spec.ConfigVersion.Desired, specImage: string(spec.ConfigImage.DesiredImage),
	}
	if status.ConfigVersion != nil {
		v.current, v.desired = status.ConfigVersion.Current, status.ConfigVersion.Desired
	}
	return v
}

func TestVersionsThroughAnUpdateInImageMode(t *testing.T) {
	s := upToDate(configA, imageA, true)
	for i, step := range []struct {
		name   string
		phase  phases.Phase
		status metav1.ConditionStatus
		node   plan.Node
		want   shown
	}{
		{"begin", phases.Updated, no, toB, shown{configA, configA, imageA, imageA, configB, imageB}},
		{"preparing", phases.UpdatePrepared, running, toB, shown{configA, configA, imageA, imageA, configB, imageB}},
		{"prepared", phases.UpdatePrepared, done, toB, shown{configA, configB, imageA, imageB, configB, imageB}},
		{"applied", phases.AppliedOSImage, done, toB, shown{configA, configB, imageA, imageB, configB, imageB}},
		{"the node runs it", phases.Resumed, done, nodeB, shown{configB, configB, imageB, imageB, configB, imageB}},
		{"no annotations", phases.UpdateComplete, running, plan.Node{}, shown{configB, configB, imageB, imageB, configB, imageB}},
		{"end", phases.Updated, done, nodeB, shown{configB, configB, imageB, imageB, configB, imageB}},
		{"image mode is switched off: begin", phases.Updated, no, plan.Node{CurrentConfig: configB, DesiredConfig: configC, CurrentImage: imageB}, shown{configB, configB, imageB, imageB, configC, ""}},
		{"prepared for no image", phases.UpdatePrepared, done, plan.Node{CurrentConfig: configB, DesiredConfig: configC, CurrentImage: imageB}, shown{configB, configC, imageB, "", configC, ""}},
		{"the node names none any more", phases.Resumed, done, plan.Node{CurrentConfig: configC, DesiredConfig: configC}, shown{configC, configC, imageB, "", configC, ""}},
		{"end without an image", phases.Updated, done, plan.Node{CurrentConfig: configC, DesiredConfig: configC}, shown{configC, configC, "", "", configC, ""}},
	} {
		before := s
		p := planned(t, s, imageReport(step.phase, step.status, 10*i, step.node), plan.Memo{})
		s = p.Final
		assert.Equal(t, step.want, shownIn(s), step.name)
		if before.Object.Status.ConfigImage.CurrentImage != "" && s.Object.Status.ConfigImage.CurrentImage == "" {
			assert.Equal(t, []plan.Kind{plan.MergeStatus}, kinds(p), "an apply would leave what others own too")
		}
	}
	assert.Equal(t, prefixed+imageB+": about AppliedOSImage", messageOf(s, phases.AppliedOSImage), "the update in which it was")
	assert.Equal(t, prefixed+"disable image mode: about UpdatePrepared", messageOf(s, phases.UpdatePrepared))
}

func TestImagesOutsideImageMode(t *testing.T) {
	s := after(t, upToDate(configA, "", false), plan.Report{
		Report: conditions.Report{Phase: phases.Updated, Status: no, Reason: "Updated", Time: at(1)}, Node: toB,
	})
	assert.Equal(t, shown{configA, configA, "", "", configB, ""}, shownIn(s))
}

// A repeat on a node whose annotation has changed is a write.
func TestVersionsAloneAreAWrite(t *testing.T) {
	s := upToDate(configA, "", false)
	repeat := report(phases.Updated, done, 1, configB, configB)
	repeat.Message = messageOf(s, phases.Updated)
	p := planned(t, s, repeat, plan.Memo{})
	assert.Equal(t, []plan.Kind{plan.ApplyStatus}, kinds(p))
	assert.Equal(t, shown{configB, configB, "", "", configA, ""}, shownIn(p.Final))
	assert.Empty(t, planned(t, p.Final, repeat, plan.Memo{}).Steps)
}

// Once the CRD turned out to have no configImage, image mode is that of the conditions alone.
func TestNoImageField(t *testing.T) {
	s := upToDate(configA, "", true)
	s.NoImageField = true
	s = after(t, s,
		imageReport(phases.Updated, no, 1, toB),
		imageReport(phases.UpdatePrepared, done, 2, toB),
		imageReport(phases.AppliedOSImage, done, 3, toB))
	assert.Equal(t, shown{configA, configB, "", "", configB, ""}, shownIn(s))
	assert.True(t, s.NoImageField)
	imageOnly := toB
	imageOnly.DesiredImage = imageA
	repeat := imageReport(phases.Updated, no, 4, imageOnly)
	assert.Empty(t, moved(s, after(t, s, repeat)), "another image that cannot be shown begins no update")
	s = after(t, s, imageReport(phases.Updated, done, 5, nodeB))
	assert.Equal(t, prefixed+configB+": about AppliedOSImage", messageOf(s, phases.AppliedOSImage))

	spec := plan.Spec{Owner: owner, Pool: "worker", Node: nodeB, ImageMode: true}
	assert.Empty(t, after(t, s, spec).Object.Spec.ConfigImage.DesiredImage)
}

// An image that the CRD rejects is neither set nor cleared, and is no reason for an update.
func TestInvalidImages(t *testing.T) {
	node, warnings := plan.ReadNode(map[string]string{
		nodeannotation.CurrentConfig: configA, nodeannotation.DesiredConfig: configA,
		nodeannotation.CurrentImage: "quay.io/os:latest", nodeannotation.DesiredImage: "quay.io/os:latest",
	}, true)
	assert.Equal(t, plan.Node{CurrentConfig: configA, DesiredConfig: configA, InvalidCurrentImage: true, InvalidDesiredImage: true}, node)
	assert.Len(t, warnings, 2)
	s := upToDate(configA, imageA, true)
	assert.Equal(t, shownIn(s), shownIn(after(t, s, imageReport(phases.Updated, done, 1, node))))
	started := after(t, s, imageReport(phases.Updated, no, 1, nodeA), imageReport(phases.Drained, done, 2, nodeA))
	assert.Empty(t, moved(started, after(t, started, imageReport(phases.Updated, no, 3, node))))
	spec := plan.Spec{Owner: owner, Pool: "worker", Node: node, ImageMode: true}
	assert.EqualValues(t, imageA, after(t, s, spec).Object.Spec.ConfigImage.DesiredImage)
}

func TestReadNode(t *testing.T) {
	annotations := map[string]string{
		nodeannotation.CurrentConfig: "Not A Name", nodeannotation.DesiredConfig: configB,
		nodeannotation.CurrentImage: imageA, nodeannotation.DesiredImage: imageB,
	}
	node, warnings := plan.ReadNode(annotations, false)
	assert.Equal(t, plan.Node{DesiredConfig: configB}, node)
	assert.Equal(t, []plan.Warning{{Annotation: nodeannotation.CurrentConfig, Value: "Not A Name"}}, warnings)
	node, warnings = plan.ReadNode(annotations, true)
	assert.Equal(t, plan.Node{DesiredConfig: configB, CurrentImage: imageA, DesiredImage: imageB}, node)
	assert.Len(t, warnings, 1)
	node, warnings = plan.ReadNode(nil, true)
	assert.Zero(t, node)
	assert.Empty(t, warnings)
}

// A node that names no config clears no image.
func TestNodeWithoutAnnotationsClearsNothing(t *testing.T) {
	s := upToDate(configA, imageA, true)
	for _, end := range []plan.Intent{imageReport(phases.Updated, done, 1, plan.Node{}), plan.Spec{Owner: owner, Pool: "worker", ImageMode: true}} {
		assert.Equal(t, shownIn(s), shownIn(after(t, s, end)))
	}
}

// What the update changes gives it its name, and whether this process saw its begin or not.
func TestNameOfTheUpdate(t *testing.T) {
	config := plan.Node{CurrentConfig: configA, DesiredConfig: configB, CurrentImage: imageA, DesiredImage: imageA}
	image := plan.Node{CurrentConfig: configA, DesiredConfig: configA, CurrentImage: imageA, DesiredImage: imageB}
	for name, tc := range map[string]struct {
		start, node, end plan.Node
		phase            phases.Phase
		want             string
	}{
		"the config":         {nodeA, config, plan.Node{CurrentConfig: configB, DesiredConfig: configB, CurrentImage: imageA, DesiredImage: imageA}, phases.AppliedFiles, configB},
		"the image":          {nodeA, image, plan.Node{CurrentConfig: configA, DesiredConfig: configA, CurrentImage: imageB, DesiredImage: imageB}, phases.AppliedOSImage, imageB},
		"both":               {nodeA, toB, nodeB, phases.AppliedOSImage, imageB},
		"no image any more":  {nodeA, plan.Node{CurrentConfig: configA, DesiredConfig: configB, CurrentImage: imageA}, withoutImages, phases.AppliedOSImage, "disable image mode"},
		"the first image":    {plan.Node{CurrentConfig: configA, DesiredConfig: configA}, plan.Node{CurrentConfig: configA, DesiredConfig: configA, DesiredImage: imageB}, plan.Node{CurrentConfig: configA, DesiredConfig: configA, CurrentImage: imageB, DesiredImage: imageB}, phases.AppliedOSImage, imageB},
		"a config, no image": {withoutImages, plan.Node{CurrentConfig: configB, DesiredConfig: configC}, plan.Node{CurrentConfig: configC, DesiredConfig: configC}, phases.AppliedFiles, configC},
	} {
		for _, restart := range []string{"", ", restarted"} {
			t.Run(name+restart, func(t *testing.T) {
				s := after(t, upToDate(tc.start.CurrentConfig, tc.start.CurrentImage, true),
					imageReport(phases.Updated, no, 1, tc.node),
					imageReport(phases.UpdatePrepared, done, 2, tc.node),
					imageReport(tc.phase, done, 3, tc.node))
				if restart != "" {
					s = restarted(s)
				}
				s = after(t, s, imageReport(phases.Resumed, done, 4, tc.end), imageReport(phases.Updated, done, 5, tc.end))
				assert.Equal(t, prefixed+tc.want+": about "+string(tc.phase), messageOf(s, tc.phase))
			})
		}
	}
}

// The first image of a node gives the update its name, although a restarted process finds neither an
// image before it nor that one was applied.
func TestNameOfTheUpdateToTheFirstImage(t *testing.T) {
	first := plan.Node{CurrentConfig: configA, DesiredConfig: configA, DesiredImage: imageB}
	s := restarted(after(t, upToDate(configA, "", true),
		imageReport(phases.Updated, no, 1, first), imageReport(phases.UpdatePrepared, done, 2, first), imageReport(phases.RebootedNode, done, 3, first)))
	first.CurrentImage = imageB
	s = after(t, s, imageReport(phases.Updated, done, 4, first))
	assert.Equal(t, prefixed+imageB+": about RebootedNode", messageOf(s, phases.RebootedNode))
}

// The target is the image too, in image mode.
func TestTargetInImageMode(t *testing.T) {
	started := after(t, upToDate(configA, imageA, true), imageReport(phases.Updated, no, 1, toB), imageReport(phases.UpdatePrepared, done, 2, toB))
	for name, tc := range map[string]struct {
		node   plan.Node
		begins bool
	}{
		"the same":                        {toB, false},
		"another image":                   {plan.Node{CurrentConfig: configA, DesiredConfig: configB, CurrentImage: imageA, DesiredImage: imageA}, true},
		"no image":                        {plan.Node{CurrentConfig: configA, DesiredConfig: configB, CurrentImage: imageA}, true},
		"an invalid image":                {plan.Node{CurrentConfig: configA, DesiredConfig: configB, CurrentImage: imageA, InvalidDesiredImage: true}, false},
		"the same config, on another one": {plan.Node{CurrentConfig: configC, DesiredConfig: configB, CurrentImage: imageA, DesiredImage: imageB}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, started, imageReport(phases.Updated, no, 9, tc.node), plan.Memo{})
			assert.Equal(t, tc.begins, p.Memo.Began)
		})
	}
	t.Run("an image that the node runs already", func(t *testing.T) {
		s := after(t, upToDate(configA, "", false), report(phases.Updated, no, 1, configA, configB))
		running := plan.Node{CurrentConfig: configA, DesiredConfig: configB, CurrentImage: imageA, DesiredImage: imageA}
		assert.False(t, planned(t, s, imageReport(phases.Updated, no, 2, running), plan.Memo{}).Memo.Began, "image mode was switched on in the update")
	})
	t.Run("back to the image that the node still runs", func(t *testing.T) {
		disabled := nodeA
		disabled.DesiredImage = ""
		s := after(t, upToDate(configA, imageA, true),
			imageReport(phases.Updated, no, 1, disabled), imageReport(phases.UpdatePrepared, done, 2, disabled), imageReport(phases.Cordoned, done, 3, disabled))
		restarted := s
		restarted.Update = plan.Update{}
		for name, s := range map[string]plan.State{"same process": s, "restarted": restarted} {
			p := planned(t, s, imageReport(phases.Updated, no, 4, nodeA), plan.Memo{})
			assert.True(t, p.Memo.Began, name)
			assert.Equal(t, prefixed+"disable image mode: about Cordoned", messageOf(p.Final, phases.Cordoned), name)
			assert.EqualValues(t, imageA, p.Final.Object.Spec.ConfigImage.DesiredImage, name)
		}
	})
}

func TestModeSwitch(t *testing.T) {
	s := upToDate(configA, "", false)
	p := planned(t, s, imageReport(phases.Updated, done, 1, nodeA), plan.Memo{})
	assert.Equal(t, []plan.Kind{plan.MergeStatus}, kinds(p), "the conditions of the other mode are removed")
	assert.Len(t, p.Final.Object.Status.Conditions, len(phases.All(true)))
	back := planned(t, p.Final, report(phases.Updated, done, 2, configA, configA), plan.Memo{})
	assert.Equal(t, []plan.Kind{plan.MergeStatus}, kinds(back))
	assert.Len(t, back.Final.Object.Status.Conditions, len(phases.All(false)))
	assert.Equal(t, mcfgv1.ImageDigestFormat(imageA), back.Final.Object.Status.ConfigImage.CurrentImage, "not ours any more to change")
}
