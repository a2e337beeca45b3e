package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

const (
	oldConfig = "rendered-master-6c320f722eb9ce8bfbd80750dbf70d2e"
	newConfig = "rendered-master-ceedbbb3b533372a501c2410fa554c89"
)

// call is a report of a phase or, without a phase, a call of GenerateAndApplyMachineConfigNodeSpec.
type call struct {
	phase  phases.Phase
	status metav1.ConditionStatus
	opts   []upgrademonitor.Option
}

var completesParent = []upgrademonitor.Option{upgrademonitor.CompletesParent()}

// rebootCalls has the reports of an update with a reboot in standard mode.
var rebootCalls = []call{
	{phases.Updated, no, nil},
	{phases.UpdatePrepared, done, nil},
	{phases.Cordoned, done, nil},
	{phases.Drained, running, nil},
	{phases.Drained, done, nil},
	{phases.AppliedFilesAndOS, running, nil},
	{phases.AppliedFilesAndOS, done, completesParent},
	{phases.RebootedNode, running, nil},
	{phases.RebootedNode, done, nil},
	{phases.Resumed, done, nil},
	{phases.Uncordoned, done, completesParent},
	{phases.Updated, done, nil},
}

// rebootSteps is rebootCalls with a call of GenerateAndApplyMachineConfigNodeSpec, as the current daemon makes.
var rebootSteps = slices.Insert(slices.Clone(rebootCalls), 2, call{})

func (c call) String() string { return string(c.phase) + " " + string(c.status) }

func (c call) try(ctx context.Context, m *upgrademonitor.Monitor) error {
	if c.phase == "" {
		return m.GenerateAndApplyMachineConfigNodeSpec(ctx)
	}
	return m.GenerateAndApplyMachineConfigNode(ctx, c.phase, string(c.phase), "about "+string(c.phase), c.status, c.opts...)
}

func (c call) queue(t *testing.T, m *upgrademonitor.Monitor) {
	t.Helper()
	if err := c.try(t.Context(), m); err != nil {
		require.ErrorIs(t, err, upgrademonitor.ErrPending, "%s %s", c.phase, c.status)
	}
}

func (c call) make(t *testing.T, m *upgrademonitor.Monitor) {
	t.Helper()
	require.NoError(t, c.try(t.Context(), m), c)
}

// update calls the function do with each call of an update, after it has set the annotations that the node has then.
func (w *testNode) update(calls []call, from, to version, do func(i int, c call)) {
	for i, c := range calls {
		w.annotateVersions(from, to)
		if i == len(calls)-1 {
			w.annotateVersions(to, to)
		}
		do(i, c)
	}
}

// reboot calls update for rebootSteps, from oldConfig to newConfig.
func (w *testNode) reboot(do func(i int, c call)) {
	w.update(rebootSteps, version{config: oldConfig}, version{config: newConfig}, do)
}

// rebootUpdate makes the calls of a whole update with one Monitor.
func (w *testNode) rebootUpdate(m *upgrademonitor.Monitor) {
	w.t.Helper()
	w.reboot(func(_ int, c call) { c.make(w.t, m) })
}

// reportUpdated creates the object of a node that is not being updated.
func (w *testNode) reportUpdated() {
	w.t.Helper()
	w.annotate(oldConfig, oldConfig)
	m, _ := w.monitor("master")
	call{phases.Updated, done, nil}.make(w.t, m)
}

// dashed converts the name of a case to a part of an object's name.
func dashed(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }
