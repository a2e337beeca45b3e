package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const (
	oldConfig = "rendered-master-6c320f722eb9ce8bfbd80750dbf70d2e"
	newConfig = "rendered-master-ceedbbb3b533372a501c2410fa554c89"
)

type call struct {
	phase  phases.Phase
	status metav1.ConditionStatus
	opts   []upgrademonitor.ReportOption
}

// rebootCalls holds the reports of a standard update with a reboot. The spec call follows the
// second one, and before the last one the node runs the new config.
var rebootCalls = []call{
	{phases.Updated, metav1.ConditionFalse, nil},
	{phases.UpdatePrepared, metav1.ConditionTrue, nil},
	{phases.Cordoned, metav1.ConditionTrue, nil},
	{phases.Drained, metav1.ConditionUnknown, nil},
	{phases.Drained, metav1.ConditionTrue, nil},
	{phases.AppliedFilesAndOS, metav1.ConditionUnknown, nil},
	{phases.AppliedFilesAndOS, metav1.ConditionTrue, []upgrademonitor.ReportOption{upgrademonitor.CompletesParent()}},
	{phases.RebootedNode, metav1.ConditionUnknown, nil},
	{phases.RebootedNode, metav1.ConditionTrue, nil},
	{phases.Resumed, metav1.ConditionTrue, nil},
	{phases.Uncordoned, metav1.ConditionTrue, []upgrademonitor.ReportOption{upgrademonitor.CompletesParent()}},
	{phases.Updated, metav1.ConditionTrue, nil},
}

func (c call) make(t *testing.T, m *upgrademonitor.Monitor) {
	t.Helper()
	require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), c.phase, string(c.phase), "about "+string(c.phase), c.status, c.opts...))
}

// reportUpdated creates the object of a node between two updates, with a Monitor that is discarded.
func (w *testNode) reportUpdated() {
	w.annotate(oldConfig, oldConfig)
	m, _ := w.monitor("master")
	call{phases.Updated, metav1.ConditionTrue, nil}.make(w.t, m)
}

func (w *testNode) rebootUpdate(m *upgrademonitor.Monitor) {
	w.annotate(oldConfig, newConfig)
	for i, c := range rebootCalls {
		if i == 2 {
			require.NoError(w.t, m.GenerateAndApplyMachineConfigNodeSpec(w.t.Context()))
		}
		if i == len(rebootCalls)-1 {
			w.annotate(newConfig, newConfig)
		}
		c.make(w.t, m)
	}
}

func TestRebootUpdateKeepsItsBudgetOfRequests(t *testing.T) {
	for name, prepare := range map[string]func(*testNode){
		"between updates": (*testNode).reportUpdated,
		"bare":            func(w *testNode) { w.resetObject(true) }, // without conditions
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestNode(t, "budget-"+dashed(name))
			prepare(w)
			history := watchFrom(t, w)
			m, requests := w.monitor("master")
			w.rebootUpdate(m)
			t.Logf("standard reboot update: %v, %d bytes of answers", requests, requests.bytesDown())
			assert.LessOrEqual(t, requests.bytesDown(), 60_000, "the answer to a status write is its metadata")
			assert.LessOrEqual(t, requests.of("status"), 15)
			assert.Equal(t, 1, requests.of("spec"))
			assert.Equal(t, 1, requests.of("read"))
			assert.Zero(t, requests.of("create"))
			assert.Equal(t, requests.all(), requests.answered(http.StatusOK), "every request is answered with 200")
			history.catchUp()
			history.check()
			history.checkEnded()

			total := requests.all()
			rebootCalls[len(rebootCalls)-1].make(t, m)
			require.NoError(t, m.GenerateAndApplyMachineConfigNodeSpec(t.Context()))
			assert.Equal(t, total, requests.all(), "a repeat makes no request")
		})
	}
}

func TestRepeatsDuringAnUpdateMakeNoRequest(t *testing.T) {
	w := newTestNode(t, "repeats")
	w.reportUpdated()
	m, requests := w.monitor("master")
	w.annotate(oldConfig, newConfig)
	for _, c := range rebootCalls[:len(rebootCalls)-1] {
		c.make(t, m)
		total := requests.all()
		c.make(t, m)
		assert.Equal(t, total, requests.all(), "%s %s again", c.phase, c.status)
	}
}

func TestAMissingObjectIsCreatedWithOwnerAndStatus(t *testing.T) {
	w := newTestNode(t, "missing")
	w.annotate(oldConfig, oldConfig)
	m, requests := w.monitor("master")
	call{phases.Resumed, metav1.ConditionTrue, nil}.make(t, m)
	assert.Equal(t, "1 create, 1 read, 2 status", requests.String())

	object, err := w.admin.MachineconfigurationV1().MachineConfigNodes().Get(t.Context(), w.name, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: w.name, UID: w.node.UID}}, object.OwnerReferences)
	assert.Equal(t, "master", object.Spec.Pool.Name)
	assert.Equal(t, oldConfig, object.Spec.ConfigVersion.Desired)
	assert.Len(t, object.Status.Conditions, len(standardMode))
	for i, p := range standardMode {
		assert.Equal(t, p, object.Status.Conditions[i].Type, "the order in which they are written")
	}
	assert.Equal(t, object.Generation, object.Status.ObservedGeneration)
}
