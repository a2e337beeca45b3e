package progress_test

import (
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

func withoutUID(n *corev1.Node) *corev1.Node {
	n.UID = ""
	return n
}

func ownedBy(uid types.UID) func(*mcfgv1.MachineConfigNode) {
	return func(m *mcfgv1.MachineConfigNode) {
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: m.Name, UID: uid}}
	}
}

// The annotations of a Node decide which config and image it runs and desires. Without annotations, the object decides.
func TestTheAnnotationsDecideTheVersionsOfANode(t *testing.T) {
	const a, b = configA, configB
	updated := is(phases.Updated, yes, 5)
	images := func(m *mcfgv1.MachineConfigNode) {
		m.Spec.ConfigImage.DesiredImage, m.Status.ConfigImage.CurrentImage = "x", "y"
	}
	empty := &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}
	empty.Spec.ConfigVersion.Desired = "not-yet-set"
	configs := func(desired, current string, more ...string) *corev1.Node {
		return newNode(append([]string{"desiredConfig", desired, "currentConfig", current, "state", "Done"}, more...)...)
	}
	for name, tc := range map[string]struct {
		node             *corev1.Node
		object           *mcfgv1.MachineConfigNode
		desired, current progress.Target
		isDone           bool
		update           progress.Update
	}{
		"without annotations, the object decides":        {newNode(), mcn(updated, withDesired(b), images), progress.Target{b, "x"}, progress.Target{a, "y"}, false, progress.Requested},
		"a new Node, and its daemon has not started":     {newNode(), empty, target(""), target(""), false, ""},
		"the object is behind":                           {configs(b, a), mcn(updated), target(b), target(a), false, progress.Requested},
		"the object's spec has a withdrawn config":       {configs(a, a), mcn(updated, withDesired(b)), target(a), target(a), true, ""},
		"the object's spec has a withdrawn image":        {configs(a, a), mcn(updated, images), target(a), target(a), true, ""},
		"the target is withdrawn after the start":        {configs(a, a), mcn(is(phases.Updated, no, 5), withDesired(b)), target(a), target(a), true, ""},
		"the daemon works, but the node runs its config": {configs(a, a, "state", "Working"), mcn(updated), target(a), target(a), true, ""},
		"the object shows the start":                     {configs(b, a, "state", "Working"), mcn(is(phases.Updated, no, 5)), target(b), target(a), false, progress.Started},
		"a step runs":                                    {configs(a, a), mcn(is(phases.Updated, no, 5), is(phases.Drained, running, 6)), target(a), target(a), true, progress.Started},
		"the annotations and the object show the end":    {configs(a, a, "state", "Done", "desiredDrain", "uncordon-"+a, "lastAppliedDrain", "uncordon-"+a), mcn(updated), target(a), target(a), true, ""},
		"another image":                                  {configs(a, a, "desiredImage", "x", "currentImage", "y"), mcn(updated), progress.Target{a, "x"}, progress.Target{a, "y"}, false, progress.Requested},
		"the desired image is removed":                   {configs(a, a, "currentImage", "y"), mcn(updated), target(a), progress.Target{a, "y"}, false, progress.Requested},
		"only a desired config":                          {newNode("desiredConfig", b), mcn(updated), target(b), target(a), false, progress.Requested},
		"only a current config":                          {newNode("currentConfig", b), mcn(updated), target(a), target(b), false, progress.Requested},
		"only a current config, and the node is joining": {newNode("currentConfig", b), mcn(), target(a), target(b), false, ""},
		"only a desired config, and the node is joining": {newNode("desiredConfig", b), mcn(), target(b), target(a), false, ""},

		"no object": {configs(a, a), nil, target(a), target(a), true, ""},
		"no object, and the update has not started":    {configs(b, a, "state", "Done"), nil, target(b), target(a), false, progress.Requested},
		"no object, and the daemon works":              {configs(b, a, "state", "Working"), nil, target(b), target(a), false, progress.Unreported},
		"an empty object, and the daemon works":        {configs(b, a, "state", "Working"), empty, target(b), target(a), false, progress.Unreported},
		"a new object, and the daemon works":           {configs(b, a, "state", "Working"), mcn(), target(b), target(a), false, progress.Unreported},
		"a new object, and the update has not started": {configs(b, a, "state", "Done"), mcn(), target(b), target(a), false, progress.Requested},
		"an object of an earlier Node":                 {configs(b, a, "state", "Working"), mcn(updated, ownedBy("uid-1")), target(b), target(a), false, progress.Unreported},
		"a Node without a UID":                         {withoutUID(configs(b, a)), mcn(updated, ownedBy("uid-0")), target(b), target(a), false, progress.Requested},
		"an object of this Node":                       {configs(b, a, "state", "Working"), mcn(updated, ownedBy("uid-0")), target(b), target(a), false, progress.Unreported},
	} {
		t.Run(name, func(t *testing.T) {
			n := progress.Of(tc.node, tc.object)
			assert.Equal(t, []progress.Target{tc.desired, tc.current}, []progress.Target{n.Desired, n.Current})
			assert.Equal(t, tc.isDone, n.Done)
			assert.True(t, n.HasNode)
			assert.Equal(t, tc.update, n.Update)
			assert.Equal(t, tc.update == "" && !n.Is(progress.AnnotationsMissing), n.IsAvailable())
			assert.Equal(t, tc.object != nil && tc.object != empty && !strings.Contains(name, "earlier"), n.HasObject)
		})
	}
}

// If the annotations of the Node show that the update is complete, the node is not in an update, even if its object still
// shows one.
func TestTheAnnotationsMayShowTheEndBeforeTheObject(t *testing.T) {
	const a, b = configA, configB
	behind := mcn(withDesired(b), is(phases.Updated, no, 5), is(phases.UpdatePrepared, yes, 6), is(phases.Uncordoned, running, 7))
	for name, tc := range map[string]struct {
		annotations []string
		isInUpdate  bool
	}{
		"complete":                                {[]string{"state", "Done", "desiredDrain", "uncordon-" + a, "lastAppliedDrain", "uncordon-" + a}, false},
		"the uncordon of another config":          {[]string{"state", "Done", "desiredDrain", "uncordon-" + b, "lastAppliedDrain", "uncordon-" + b}, false},
		"the uncordon is requested, and not done": {[]string{"state", "Done", "desiredDrain", "uncordon-" + a, "lastAppliedDrain", "drain-" + a}, true},
		"drained":                {[]string{"state", "Done", "desiredDrain", "drain-" + a, "lastAppliedDrain", "drain-" + a}, true},
		"the daemon works":       {[]string{"state", "Working", "desiredDrain", "uncordon-" + a, "lastAppliedDrain", "uncordon-" + a}, true},
		"no drain was requested": {[]string{"state", "Done"}, true},
	} {
		n := progress.Of(newNode(append([]string{"desiredConfig", a, "currentConfig", a}, tc.annotations...)...), behind)
		assert.Equal(t, tc.isInUpdate, n.InUpdate(), name)
		assert.Equal(t, name != "the daemon works", n.DoneByNode, name)
		assert.Equal(t, target(a), n.Desired, name)
	}
}

// As in machine-config-operator, a Node condition that is Unknown also makes the node unavailable.
func TestACordonAndNodeConditionsMakeANodeUnavailable(t *testing.T) {
	condition := func(t corev1.NodeConditionType, status corev1.ConditionStatus) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: t, Status: status, LastTransitionTime: metav1.NewTime(at(3).In(time.FixedZone("", 3600)))})
		}
	}
	none := func(n *corev1.Node) { n.Status.Conditions = nil }
	cordoned := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	tainted := func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "other", TimeAdded: &metav1.Time{Time: at(1)}}, {Key: corev1.TaintNodeUnschedulable, TimeAdded: &metav1.Time{Time: at(4)}}}
	}
	timeless := func(n *corev1.Node) { // the taint of a cordon need not have a time
		n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
	}
	for name, tc := range map[string]struct {
		changes []func(*corev1.Node)
		want    []progress.Unavailable
	}{
		"available":              {[]func(*corev1.Node){condition(corev1.NodeDiskPressure, "False"), condition(corev1.NodeNetworkUnavailable, "False")}, nil},
		"no conditions":          {[]func(*corev1.Node){none}, []progress.Unavailable{{Reason: progress.NotReady}}},
		"not ready":              {[]func(*corev1.Node){none, condition(corev1.NodeReady, "False")}, []progress.Unavailable{{progress.NotReady, at(3)}}},
		"readiness unknown":      {[]func(*corev1.Node){none, condition(corev1.NodeReady, "Unknown")}, []progress.Unavailable{{progress.NotReady, at(3)}}},
		"disk pressure":          {[]func(*corev1.Node){condition(corev1.NodeDiskPressure, "True")}, []progress.Unavailable{{progress.DiskPressure, at(3)}}},
		"kubelet stopped":        {[]func(*corev1.Node){none, condition(corev1.NodeReady, "Unknown"), condition(corev1.NodeDiskPressure, "Unknown")}, []progress.Unavailable{{progress.NotReady, at(3)}}},
		"not ready, disk full":   {[]func(*corev1.Node){none, condition(corev1.NodeReady, "False"), condition(corev1.NodeDiskPressure, "True")}, []progress.Unavailable{{progress.NotReady, at(3)}, {progress.DiskPressure, at(3)}}},
		"disk pressure unknown":  {[]func(*corev1.Node){condition(corev1.NodeDiskPressure, "Unknown")}, []progress.Unavailable{{progress.DiskPressure, at(3)}}},
		"network unavailable":    {[]func(*corev1.Node){condition(corev1.NodeNetworkUnavailable, "True")}, []progress.Unavailable{{progress.NetworkUnavailable, at(3)}}},
		"memory pressure":        {[]func(*corev1.Node){condition(corev1.NodeMemoryPressure, "True"), condition(corev1.NodePIDPressure, "True")}, nil},
		"cordoned":               {[]func(*corev1.Node){cordoned}, []progress.Unavailable{{Reason: progress.Cordoned}}},
		"cordoned, no time":      {[]func(*corev1.Node){cordoned, timeless}, []progress.Unavailable{{Reason: progress.Cordoned}}},
		"cordoned, and tainted":  {[]func(*corev1.Node){cordoned, tainted}, []progress.Unavailable{{progress.Cordoned, at(4)}}},
		"tainted, not cordoned":  {[]func(*corev1.Node){tainted}, nil},
		"not ready and cordoned": {[]func(*corev1.Node){none, cordoned, tainted, condition(corev1.NodeReady, "False")}, []progress.Unavailable{{progress.NotReady, at(3)}, {progress.Cordoned, at(4)}}},
	} {
		node := newNode()
		for _, change := range tc.changes {
			change(node)
		}
		n := progress.Of(node, mcn(is(phases.Updated, yes, 1)))
		assert.Equal(t, tc.want, n.Unavailable, name)
		assert.Equal(t, len(tc.want) == 0, n.IsAvailable(), name)
	}
}

// A Node has lost an annotation if one of currentConfig, desiredConfig and state is missing, or if it has only
// currentConfig. A Node that joins the cluster has not got them yet.
func TestANodeWithoutOneOfItsAnnotationsHasLostIt(t *testing.T) {
	for names, want := range map[string]bool{
		"": false, "state": false, "desiredConfig": false, "currentConfig": true,
		"desiredConfig state": true, "currentConfig state": true, "currentConfig desiredConfig": true,
		"currentConfig desiredConfig state": false,
	} {
		var pairs []string
		for _, name := range strings.Fields(names) {
			pairs = append(pairs, name, "x")
		}
		assert.Equal(t, want, progress.Of(newNode(pairs...), nil).Is(progress.AnnotationsMissing), "the Node has %q", names)
	}
}

// Both the annotations and NodeDegraded are read, because a daemon may set only one of them.
func TestErrorsAreReadFromTheAnnotationsAndTheObject(t *testing.T) {
	updated := is(phases.Updated, yes, 1)
	degraded := func(text string) func(*mcfgv1.MachineConfigNode) { return is(phases.NodeDegraded, yes, 2, text) }
	for name, tc := range map[string]struct {
		state, reason string
		object        *mcfgv1.MachineConfigNode
		isDegraded    bool
		errors        []string
	}{
		"degraded":                                  {"Degraded", "disk full", mcn(updated), true, []string{"disk full"}},
		"degraded, without a reason":                {"Degraded", "", mcn(updated), true, nil},
		"unreconcilable":                            {"Unreconcilable", "disk full", mcn(updated), true, []string{"disk full"}},
		"degraded, without an object":               {"Degraded", "disk full", nil, true, []string{"disk full"}},
		"done":                                      {"Done", "disk full", mcn(updated), false, nil},
		"working":                                   {"Working", "disk full", mcn(updated), false, nil},
		"the object has the same error":             {"Degraded", "disk full", mcn(updated, degraded("disk full")), true, []string{"disk full"}},
		"the object has another error":              {"Degraded", "rebooting", mcn(updated, degraded("disk full")), true, []string{"disk full", "rebooting"}},
		"only the object has an error":              {"Working", "", mcn(updated, degraded("disk full")), true, []string{"disk full"}},
		"a failure of an earlier update":            {"Degraded", "", mcn(updated, degraded("Action during update to a: disk full")), true, []string{"disk full"}},
		"NodeDegraded has no message":               {"Degraded", "disk full", mcn(updated, degraded("")), true, []string{"disk full"}},
		"neither is degraded any longer":            {"Done", "", mcn(updated, is(phases.NodeDegraded, no, 2, "disk full")), false, nil},
		"NodeDegraded of the object is False again": {"Degraded", "disk full", mcn(updated, is(phases.NodeDegraded, no, 2, "no network")), true, []string{"disk full"}},
	} {
		n := progress.Of(newNode("state", tc.state, "reason", tc.reason), tc.object)
		assert.Equal(t, tc.isDegraded, n.Degraded, name)
		assert.ElementsMatch(t, tc.errors, n.Errors, name)
		assert.Equal(t, !tc.isDegraded, n.IsAvailable(), name)
	}
}

// Without a Node, the MachineConfigNode decides whether the node is updated or in an update.
func TestWithoutANodeTheObjectDecides(t *testing.T) {
	updated := is(phases.Updated, yes, 5)
	image := func(desired, current string) func(*mcfgv1.MachineConfigNode) {
		return func(m *mcfgv1.MachineConfigNode) {
			m.Spec.ConfigImage.DesiredImage = mcfgv1.ImageDigestFormat(desired)
			m.Status.ConfigImage.CurrentImage = mcfgv1.ImageDigestFormat(current)
		}
	}
	for name, tc := range map[string]struct {
		object *mcfgv1.MachineConfigNode
		isDone bool
		update progress.Update
	}{
		"nothing":        {nil, false, ""},
		"empty":          {&mcfgv1.MachineConfigNode{}, false, ""},
		"never reported": {mcn(), false, ""},
		"joining":        {mcn(is(phases.Resumed, yes, 1), is(phases.Uncordoned, running, 2)), false, ""},
		"updated, and the reason is NotYetOccurred": {mcn(updated, func(m *mcfgv1.MachineConfigNode) {
			conditions.Find(m.Status.Conditions, phases.Updated).Reason = "NotYetOccurred"
		}), true, ""},
		"updated":                                {mcn(updated), true, ""},
		"requested":                              {mcn(updated, withDesired(configB)), false, progress.Requested},
		"another image was requested":            {mcn(updated, image("b", "a")), false, progress.Requested},
		"the removal of its image was requested": {mcn(updated, image("", "a")), false, progress.Requested},
		"has its image":                          {mcn(updated, image("a", "a")), true, ""},
		"no desired config yet":                  {mcn(updated, withDesired("not-yet-set")), true, ""},
		"v1alpha1":                               {mcn(updated, withDesired("NotYetSet")), true, ""},
		"started":                                {mcn(is(phases.Updated, no, 5), withDesired(configB)), false, progress.Started},
		"running without a start":                {mcn(is(phases.Drained, running, 5)), false, progress.Started},
		"Updated is Unknown":                     {mcn(is(phases.Updated, running, 5), withDesired(configB)), false, progress.Started},
		"restarted":                              {mcn(is(phases.Updated, no, 5), is(phases.Resumed, yes, 6)), true, ""},
		"joining, and an update was requested":   {mcn(withDesired(configB)), false, ""},
		"replaced":                               {mcn(is(phases.Updated, no, 5), is(phases.Drained, no, 6, "Action during update to b: drained")), false, progress.Started},
		"a step outside an update":               {mcn(updated, is(phases.Cordoned, yes, 6)), true, ""},
		"a step is not required":                 {mcn(is(phases.Updated, no, 5), is(phases.Drained, no, 6)), true, ""},
		"reset before the start":                 {mcn(is(phases.Updated, no, 5), is(phases.Drained, no, 4, "Action during update to b: drained")), true, ""},
		"without Updated":                        {&mcfgv1.MachineConfigNode{Status: mcfgv1.MachineConfigNodeStatus{Conditions: []metav1.Condition{{Type: "Drained", Status: no, Message: "Action during update to b: drained"}}}}, false, ""},
	} {
		n := progress.Of(nil, tc.object)
		assert.Equal(t, tc.isDone, n.Done, name)
		assert.False(t, n.DoneByNode, name)
		assert.Equal(t, tc.update, n.Update, name)
	}
}

func TestImagesArePinnedIfAllSetsArePulledAndNothingFails(t *testing.T) {
	set := func(current, desired int32) func(*mcfgv1.MachineConfigNode) {
		return func(m *mcfgv1.MachineConfigNode) {
			m.Status.PinnedImageSets = append(m.Status.PinnedImageSets, mcfgv1.MachineConfigNodeStatusPinnedImageSet{CurrentGeneration: current, DesiredGeneration: desired})
		}
	}
	for name, tc := range map[string]struct {
		object *mcfgv1.MachineConfigNode
		want   bool
	}{
		"no object":                              {nil, false},
		"no conditions":                          {&mcfgv1.MachineConfigNode{}, false},
		"no sets":                                {mcn(), true},
		"pulled":                                 {mcn(set(2, 2)), true},
		"one set has an earlier generation":      {mcn(set(2, 2), set(1, 2)), false},
		"not started":                            {mcn(set(0, 0)), false},
		"being checked":                          {mcn(set(2, 2), is(phases.PinnedImageSetsProgressing, yes, 1)), true},
		"failed":                                 {mcn(set(2, 2), is(phases.PinnedImageSetsDegraded, yes, 1)), false},
		"failed, and no set is listed":           {mcn(is(phases.PinnedImageSetsDegraded, yes, 1)), false},
		"no longer failed, and no set is listed": {mcn(is(phases.PinnedImageSetsDegraded, no, 1)), true},
	} {
		assert.Equal(t, tc.want, progress.Of(nil, tc.object).HasPinnedImages, name)
	}
}
