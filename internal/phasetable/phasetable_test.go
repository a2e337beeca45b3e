package phasetable_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope/guard"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
	"github.com/openshift/upgrademonitor/upgrademonitor/upgrademonitortest"
)

func TestEachRowIsComplete(t *testing.T) {
	for _, p := range phasetable.Both() {
		row := phasetable.Of(p)
		assert.Equal(t, row.Kind == phasetable.Singleton, row.Doing == "", "%s: a node does something in each phase of an update", p)
		assert.Equal(t, row.Kind == phasetable.Child, row.Parent != "", "%s: a Child has a parent, and no other phase has one", p)
		if parent := phasetable.Of(row.Parent); row.Kind == phasetable.Child {
			assert.Equal(t, []any{phasetable.Parent, phasetable.AnyMode, row.OnlyInUpdate}, []any{parent.Kind, parent.Mode, parent.OnlyInUpdate}, "the parent of %s", p)
		}
	}
}

func TestAllStepsButThoseOfARestartRunOnlyInAnUpdate(t *testing.T) {
	var others []phases.Phase
	for _, p := range phasetable.Both() {
		if phasetable.IsStep(p) && !phasetable.RunsOnlyInUpdate(p) {
			others = append(others, p)
		}
	}
	assert.Equal(t, []phases.Phase{phases.Resumed, phases.UpdateComplete, phases.Uncordoned}, others)
}

func TestALeafIsAStepWithoutChildren(t *testing.T) {
	leaves := phasetable.Leaves(false)
	assert.Subset(t, leaves, []phases.Phase{phases.UpdatePrepared, phases.Drained, phases.AppliedFilesAndOS, phases.Uncordoned})
	for _, p := range []phases.Phase{phases.UpdateExecuted, phases.AppliedFiles, phases.UpdateComplete, phases.Updated, phases.NodeDegraded} {
		assert.NotContains(t, leaves, p)
	}
}

// A row is all that the library needs to know about a phase. The test of kubectl mcn's screen with another row is in
// cmd/kubectl-mcn.
func TestAnotherRowIsKnownWhereverPhasesMatter(t *testing.T) {
	const files, hooks phases.Phase = "FilesVerified", "HooksRun" // a child of standard mode only, and a parent of both modes
	phasetable.Insert(t, phases.AppliedFiles, phasetable.Row{Phase: files, Kind: phasetable.Child, Parent: phases.UpdateExecuted, Mode: phasetable.StandardOnly, OnlyInUpdate: true})
	phasetable.Insert(t, phases.RebootedNode, phasetable.Row{Phase: hooks, Kind: phasetable.Parent, Mode: phasetable.AnyMode, OnlyInUpdate: true})

	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1", Annotations: map[string]string{nodemeta.CurrentConfig: "a", nodemeta.DesiredConfig: "b"}}}
	clientset := upgrademonitortest.NewClientset(t)
	m, err := upgrademonitor.New(t.Context(), upgrademonitor.Config{Client: clientset, NodeName: node.Name, Node: func() (*corev1.Node, error) { return node, nil }})
	require.NoError(t, err)
	m.Report(t.Context(), phases.Updated, "updated", metav1.ConditionTrue)
	m.Report(t.Context(), files, "verifying", metav1.ConditionUnknown)
	mcns := clientset.MachineconfigurationV1().MachineConfigNodes()
	object, err := mcns.Get(t.Context(), node.Name, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, progress.Started, progress.Of(nil, object).Update, "a step that runs only in an update is a disruption")
	m.Report(t.Context(), hooks, "hooks done", metav1.ConditionTrue)
	node.Annotations[nodemeta.CurrentConfig] = "b"
	m.Report(t.Context(), phases.Updated, "updated", metav1.ConditionTrue)
	require.NoError(t, m.Flush(t.Context()))

	seen := upgrademonitortest.Transitions(t, clientset, node.Name)
	assert.Equal(t, []string{"UpdateExecuted: False Unknown False", "FilesVerified: False Unknown False", "HooksRun: False Unknown True False", "Updated: False True False True"}, strings.Split(seen, "\n"))
	object, err = mcns.Get(t.Context(), node.Name, metav1.GetOptions{})
	require.NoError(t, err)
	for _, p := range []phases.Phase{files, hooks} {
		assert.True(t, conditions.HasUpdatePrefix(conditions.Find(object.Status.Conditions, p).Message), "the end of the update gives %s a prefix", p)
	}

	assert.NotContains(t, phases.All(true), files)
	assert.Contains(t, phases.All(true), hooks)
	assert.False(t, transitions.InImageMode([]metav1.Condition{{Type: "AppliedFiles", Status: "False"}, {Type: string(files), Status: "Unknown"}}))
	policy, err := json.Marshal(guard.Guard{}.TransitionPolicy().Spec.Variables)
	require.NoError(t, err)
	for _, rule := range []string{`m.type in \[[^]]*"FilesVerified"[^]]*"HooksRun"`, `"FilesVerified Unknown"`, `b.type in \[[^]]*"FilesVerified"\]`} {
		assert.Regexp(t, rule, strings.ReplaceAll(string(policy), `\"`, `"`), "the policy on transitions")
	}
}
