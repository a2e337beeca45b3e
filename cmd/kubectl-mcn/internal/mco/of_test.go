package mco_test

import (
	"cmp"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
)

// If the object does not show the update, the drain annotations of the Node decide the step.
func TestDrainAnnotationsDecideTheStepOfABehindObject(t *testing.T) {
	const drain, uncordon = "drain-" + configB, "uncordon-" + configA
	for name, tc := range map[string]struct {
		desired, applied string
		cordoned         float64 // the time of the cordon, or 0
		object           *mcfgv1.MachineConfigNode
		step             phases.Phase
		started, since   float64
	}{
		"cordoned before the update":                             {drain, uncordon, 2, nil, phases.Drained, 5, 5},
		"the object shows the last update":                       {drain, uncordon, 7, mcn(is(phases.Updated, yes, 1)), phases.Drained, 7, 7},
		"cordoned by hand, and no drain was requested":           {uncordon, uncordon, 7, nil, "", 5, 5},
		"a drain for an earlier target":                          {"drain-c", uncordon, 7, nil, phases.Drained, 7, 7},
		"the drain for an earlier target is done":                {"drain-c", "drain-c", 7, nil, "", 5, 5},
		"the requested drain is neither a drain nor an uncordon": {"x-" + configB, "", 7, nil, "", 7, 7},
		"the uncordon of this config is done":                    {"uncordon-" + configB, "uncordon-" + configB, 7, nil, "", 7, 7}, // another image of the same config
	} {
		t.Run(name, func(t *testing.T) {
			node := newNode("desiredConfig", configB, "currentConfig", configA, "state", "Working", "desiredDrain", tc.desired, "lastAppliedDrain", tc.applied)
			node.ManagedFields = []metav1.ManagedFieldsEntry{entry(`{"f:metadata":{"f:annotations":{"f:machineconfiguration.openshift.io/desiredConfig":{}}}}`, at(5))}
			if tc.cordoned > 0 {
				cordoned := metav1.NewTime(at(tc.cordoned))
				node.Spec = corev1.NodeSpec{Unschedulable: true, Taints: []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, TimeAdded: &cordoned}}}
			}
			n := mco.Of(node, tc.object)
			assert.Equal(t, tc.step, n.Step)
			assert.False(t, n.NotStarted())
			assert.True(t, n.Completed.IsZero(), "an update that is running is not complete")
			assert.True(t, n.Started.Equal(at(tc.started)), n.Started)
			assert.Equal(t, tc.since == 0, n.Since.IsZero())
			assert.True(t, tc.since == 0 || n.Since.Equal(at(tc.since)), n.Since)
		})
	}
}

// If the object does not have the target of the Node yet, the managedFields of the Node say when the update was
// requested.
func TestTheManagedFieldsOfTheNodeSayWhenAnUpdateWasRequested(t *testing.T) {
	node := newNode("desiredConfig", configB, "currentConfig", configA, "state", "Done")
	node.ManagedFields = []metav1.ManagedFieldsEntry{
		entry(`{"f:metadata":{"f:annotations":{"f:machineconfiguration.openshift.io/desiredConfig":{}}}}`, at(7)),
		entry(`{"f:metadata":{"f:annotations":{"f:machineconfiguration.openshift.io/state":{}}}}`, at(8)),
	}
	spec := managed(entry(`{"f:spec":{}}`, at(3)))
	for name, object := range map[string]*mcfgv1.MachineConfigNode{"another target": mcn(spec, is(phases.Updated, yes, 2)), "no object": nil} {
		n := mco.Of(node, object)
		assert.Equal(t, at(7), n.Requested, name)
		assert.Equal(t, at(7), n.Since, name)
	}
	node.Annotations[annotation+"desiredImage"] = "x"
	assert.Equal(t, at(7), mco.Of(node, mcn(spec, withDesired(configB), is(phases.Updated, yes, 2))).Requested, "another image")
	delete(node.Annotations, annotation+"desiredImage")
	node.Annotations[annotation+"state"] = "Working"
	assert.Equal(t, at(7), mco.Of(node, nil).Since, "if the step is not known, the time of the request counts")
	assert.Equal(t, at(3), mco.Of(node, mcn(spec, withDesired(configB), is(phases.Updated, yes, 2))).Requested)

	node = newNode("desiredConfig", configB, "currentConfig", configB, "state", "Done")
	node.ManagedFields = []metav1.ManagedFieldsEntry{entry(`{"f:metadata":{"f:annotations":{"f:machineconfiguration.openshift.io/desiredConfig":{}}}}`, at(7))}
	assert.Zero(t, mco.Of(node, nil).Requested, "the daemon of a new node writes the annotation")
	assert.Equal(t, at(7), mco.Of(node, mcn(spec)).Requested, "the object has another target")
}

// If the object and the Node have an error, the more specific one is shown.
func TestTheMostSpecificErrorIsShown(t *testing.T) {
	updated := is(phases.Updated, yes, 1)
	degraded := func(text string) func(*mcfgv1.MachineConfigNode) { return is(phases.NodeDegraded, yes, 2, text) }
	for name, tc := range map[string]struct {
		reason  string
		object  *mcfgv1.MachineConfigNode
		message string
	}{
		"the error of the object is longer":                            {"disk", mcn(updated, degraded("Node worker-0 upgrade failure. disk full")), "disk full"},
		"the object has an error with the prefix of an earlier update": {"", mcn(updated, degraded("Action during update to a: Node worker-0 upgrade failure. disk full")), "disk full"},
	} {
		n := mco.Of(newNode("state", "Degraded", "reason", tc.reason), tc.object)
		assert.True(t, n.Degraded, name)
		assert.Equal(t, tc.message, n.Message, name)
	}
	assert.Len(t, mco.Of(newNode("state", "Degraded", "reason", evictPG0), nil).Pods, 1, "the step is not known")
}

// The conditions of a Node say when it became available, and not when it became unavailable. An update without any other
// time began before its Node became NotReady.
func TestTheConditionsOfANodeHaveTimes(t *testing.T) {
	node := newNode("desiredConfig", configB, "currentConfig", configA, "state", "Working")
	node.Status.Conditions = []corev1.NodeCondition{
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(at(3))},
		{Type: corev1.NodeReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(at(9))},
		{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(at(20))}, // takes no place
	}
	n := mco.Of(node, nil)
	assert.Equal(t, at(3), n.Recovered)
	assert.Equal(t, at(9), n.Started)
}

// A reboot is over once its Node has become Ready, or its daemon has reported something else later: then only its report is
// missing.
func TestARebootIsOverOnceTheMachineIsUp(t *testing.T) {
	const began = 20
	for name, tc := range map[string]struct {
		ready, degraded float64 // when Ready and NodeDegraded have changed
		pinned          float64 // when PinnedImageSetsProgressing has changed
		isReady, noNode bool
		message         string
		back            float64
	}{
		"NotReady since then":                       {ready: 25, degraded: 24},
		"NotReady, and the daemon has failed later": {ready: 23, degraded: 24, back: 24},
		"the daemon was about to end":               {ready: 1, isReady: true, degraded: 20.5},
		"the daemon could not reboot":               {ready: 1, isReady: true, degraded: 24, message: "reboot command failed, something is seriously wrong"},
		"the daemon has failed later, and no Node":  {noNode: true, degraded: 24, back: 24},
		"the daemon has pulled images later":        {ready: 1, isReady: true, degraded: 19, pinned: 24, back: 24},
	} {
		node := newNode("desiredConfig", configB, "currentConfig", configA, "state", "Working")
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(at(tc.ready))}}
		if tc.isReady {
			node.Status.Conditions[0].Status = corev1.ConditionTrue
		}
		if tc.noNode {
			node = nil
		}
		object := mcn(withDesired(configB), is(phases.Updated, no, 1), is(phases.AppliedFilesAndOS, yes, 19), is(phases.RebootedNode, running, began))
		if tc.degraded > 0 {
			is(phases.NodeDegraded, yes, tc.degraded, tc.message)(object)
		}
		if tc.pinned > 0 {
			is(phases.PinnedImageSetsProgressing, no, tc.pinned)(object)
		}
		n := mco.Of(node, object)
		want := at(tc.back)
		if tc.back == 0 {
			want = time.Time{}
		}
		assert.Equal(t, want, n.Back, name)
	}
	// Without a MachineConfigNode, the Node announces the reboot, and nobody knows when it began.
	for ready, want := range map[float64]time.Time{1: at(5), 25: at(25)} {
		node := newNode("desiredConfig", configB, "currentConfig", configA, "state", "Working", "post-config-action", "Rebooting")
		node.Spec.Unschedulable = true
		node.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, TimeAdded: &metav1.Time{Time: at(5)}}}
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(at(ready))}}
		n := mco.Of(node, nil)
		assert.Equal(t, ready > 5, !n.Back.IsZero())
		assert.Equal(t, want, n.Since, "without a sign that the machine was down, the update began with the cordon")
		node.Spec.Taints = nil
		assert.Zero(t, mco.Of(node, nil).Back, "the Node may have become Ready before the update")
		object := mcn(withDesired(configB), is(phases.Updated, no, 1), is(phases.AppliedFilesAndOS, yes, 30))
		assert.Zero(t, mco.Of(node, object).Back, "the Node may have become Ready before the reboot")
	}
}

// A node has to be cordoned from its drain until the daemon requests the uncordon.
func TestACordonIsLiftedBetweenTheDrainAndTheUncordon(t *testing.T) {
	conditions := []func(*mcfgv1.MachineConfigNode){withDesired(configB), is(phases.Updated, no, 1), is(phases.Cordoned, yes, 5)}
	for name, tc := range map[string]struct {
		drain       string
		fields      string // what writer owns
		isCordoned  bool
		more        []func(*mcfgv1.MachineConfigNode)
		want        bool
		writer      string
		isOfCordons bool
	}{
		"draining":                   {more: conditions[:0], want: true, writer: "kubectl-uncordon", isOfCordons: true},
		"draining, another owner":    {fields: `{"f:spec":{"f:unschedulable":{}}}`, want: true, writer: "gpu-operator", isOfCordons: true},
		"draining, MCO has written":  {want: true, writer: "machine-config-controller"},
		"preparing again":            {more: []func(*mcfgv1.MachineConfigNode){is(phases.UpdatePrepared, running, 7)}},
		"uncordoning":                {more: []func(*mcfgv1.MachineConfigNode){is(phases.Drained, yes, 6), is(phases.Uncordoned, running, 7)}},
		"an uncordon was requested":  {drain: "uncordon-" + configB},
		"a drain that is not needed": {more: []func(*mcfgv1.MachineConfigNode){is(phases.Cordoned, no, 5)}},
	} {
		node := newNode("desiredConfig", configB, "currentConfig", configA, "state", "Working", "desiredDrain", cmp.Or(tc.drain, "drain-"+configB))
		node.Spec.Unschedulable = tc.isCordoned
		write := entry(cmp.Or(tc.fields, `{"f:metadata":{}}`), at(6))
		write.Manager = tc.writer
		node.ManagedFields = []metav1.ManagedFieldsEntry{write}
		n := mco.Of(node, mcn(append(conditions[:3:3], tc.more...)...))
		assert.Equal(t, tc.want, n.IsLifted, name)
		assert.Equal(t, tc.want, n.CordonedAt.Equal(at(5)), name)
		assert.Equal(t, tc.isOfCordons, n.LiftedBy.By == tc.writer && tc.writer != "", name)
	}
}

// The prefix of the steps names the config or the image of the last update.
func TestAnUpdateWasTakenBackIfTheNodeRunsSomethingElse(t *testing.T) {
	runs := func(config, image string) func(*mcfgv1.MachineConfigNode) {
		return func(m *mcfgv1.MachineConfigNode) {
			m.Status.ConfigVersion.Current, m.Status.ConfigImage.CurrentImage = config, mcfgv1.ImageDigestFormat(image)
		}
	}
	prepared := func(message string) func(*mcfgv1.MachineConfigNode) { return is(phases.UpdatePrepared, no, 9, message) }
	toB := prepared("Action during update to " + configB + ": Update is compatible")
	assert.False(t, mco.Of(nil, mcn(runs(configB, ""), toB)).WasTakenBack)
	assert.True(t, mco.Of(nil, mcn(runs(configA, "quay.io/os@sha256:1"), toB)).WasTakenBack)
	toImage := prepared("Action during update to quay.io/os@sha256:1: Update is compatible")
	assert.False(t, mco.Of(nil, mcn(runs(configA, "quay.io/os@sha256:1"), toImage)).WasTakenBack)
	assert.False(t, mco.Of(nil, mcn(runs(configA, ""), prepared("Update is compatible"))).WasTakenBack, "the update has not ended")
}
