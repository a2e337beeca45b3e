package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// Another process recreated the object, and the next write removes a field.
func TestARemovalFromARecreatedObjectIsWritten(t *testing.T) {
	w := newTestNode(t, "limit-recreated")
	w.annotate(oldConfig, oldConfig)
	m, requests := w.monitor("worker")
	call{phases.Updated, metav1.ConditionTrue, nil}.make(t, m)
	require.NoError(t, m.ReportPinnedImageSets(t.Context(), sets("a")))
	nodes := w.admin.MachineconfigurationV1().MachineConfigNodes()
	require.NoError(t, nodes.Delete(t.Context(), w.name, metav1.DeleteOptions{}))
	_, err := nodes.Create(t.Context(), &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: w.name}, Spec: mcfgv1.MachineConfigNodeSpec{
		Node: mcfgv1.MCOObjectReference{Name: w.name}, Pool: mcfgv1.MCOObjectReference{Name: "worker"},
		ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: oldConfig}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.NoError(t, m.ReportPinnedImageSets(t.Context(), nil), "a stale base is a conflict, not a terminal error; %v", requests)
	require.NoError(t, m.Flush(t.Context()))
	assert.NotEmpty(t, w.object().Status.Conditions, "the report was lost")
}

func TestTwoMonitorsMayRemoveTheSameImageSet(t *testing.T) {
	w := newTestNode(t, "limit-two")
	w.annotate(oldConfig, oldConfig)
	a, _ := w.monitor("worker")
	b, requests := w.monitor("worker")
	call{phases.Updated, metav1.ConditionTrue, nil}.make(t, a)
	require.NoError(t, a.ReportPinnedImageSets(t.Context(), sets("a")))
	require.NoError(t, b.ReportPinnedImageSets(t.Context(), sets("a"))) // b reads
	require.NoError(t, a.ReportPinnedImageSets(t.Context(), nil))
	w.annotate(oldConfig, newConfig)
	err := b.ReportPinnedImageSets(t.Context(), nil)
	assert.NoError(t, err, "%v", requests)
}

func TestLongErrorsOfAllImageSetsAreTruncatedToFit(t *testing.T) {
	for _, size := range []int{20000, 32768} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			w := newTestNode(t, fmt.Sprintf("limit-large-%d", size))
			w.annotate(oldConfig, oldConfig)
			m, _ := w.monitor("worker")
			call{phases.Updated, metav1.ConditionTrue, nil}.make(t, m)
			all := sets()
			for i := range 100 {
				s := sets(fmt.Sprintf("set-%d", i))[0]
				s.Err = errors.New(strings.Repeat("x", size))
				all = append(all, s)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			require.NoError(t, m.ReportPinnedImageSets(ctx, all), "the errors are truncated to fit")
			ctx2, cancel2 := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel2()
			require.NoError(t, m.GenerateAndApplyMachineConfigNode(ctx2, phases.NodeDegraded, "R", "x", metav1.ConditionTrue))
		})
	}
}

func TestTooManyConditionsOfOthersAreAnError(t *testing.T) {
	w := newTestNode(t, "limit-full")
	w.annotate(oldConfig, oldConfig)
	nodes := w.admin.MachineconfigurationV1().MachineConfigNodes()
	o, err := nodes.Create(t.Context(), &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: w.name}, Spec: mcfgv1.MachineConfigNodeSpec{
		Node: mcfgv1.MCOObjectReference{Name: w.name}, Pool: mcfgv1.MCOObjectReference{Name: "worker"},
		ConfigVersion: mcfgv1.MachineConfigNodeSpecMachineConfigVersion{Desired: oldConfig}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	o.Status.ConfigVersion = &mcfgv1.MachineConfigNodeStatusMachineConfigVersion{Current: oldConfig, Desired: oldConfig}
	for i := range 20 {
		o.Status.Conditions = append(o.Status.Conditions, metav1.Condition{Type: fmt.Sprintf("Unowned%d", i), Status: "True", Reason: "R", Message: "m", LastTransitionTime: metav1.Now()})
	}
	_, err = nodes.UpdateStatus(t.Context(), o, metav1.UpdateOptions{})
	require.NoError(t, err)
	m, requests := w.monitor("worker")
	err = m.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "R", "x", metav1.ConditionTrue)
	var full *upgrademonitor.TooManyConditionsError
	require.ErrorAs(t, err, &full)
	assert.Equal(t, "1 read", requests.String(), "what the CRD would reject is not sent")
}

func sets(names ...string) []upgrademonitor.PinnedImageSet {
	var l []upgrademonitor.PinnedImageSet
	for _, n := range names {
		l = append(l, upgrademonitor.PinnedImageSet{Name: n, Generation: 1})
	}
	return l
}

func TestAnInvalidPoolNameFailsNoReport(t *testing.T) {
	w := newTestNode(t, "bad-pool")
	w.annotate(oldConfig, oldConfig)
	m, requests := w.monitor("Not_A Name")
	err := m.GenerateAndApplyMachineConfigNode(t.Context(), phases.Updated, "R", "x", metav1.ConditionTrue)
	require.NoError(t, err, "an error of Pool fails the spec call, but no report: %v", requests)
	assert.Zero(t, requests.answered(422))
}

// Each message is valid for the CRD, but all of them are too large for etcd: the longest are truncated.
func TestMessagesThatAreTooLargeForEtcdAreShortened(t *testing.T) {
	for name, character := range map[string]string{"four-bytes": "\U0001F600", "escaped": "<", "control": "\x01"} {
		t.Run(name, func(t *testing.T) {
			w := newTestNode(t, "limit-messages-"+name)
			w.annotate(oldConfig, oldConfig)
			m, requests := w.monitor("worker")
			call{phases.Updated, done, nil}.make(t, m)
			long := strings.Repeat(character, 32768)
			for _, p := range phases.All(false) {
				if p != phases.Updated {
					require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), p, "Long", long, done), p)
				}
			}
			total := requests.all()
			require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), phases.PinnedImageSetsDegraded, "Long", long, done))
			assert.Equal(t, total, requests.all(), "a repeat of a truncated message is a repeat")
			require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), phases.Drained, "Short", "short", running))
			drained, _ := statusOf(w.object().Status.Conditions, "Drained")
			assert.Equal(t, "short", drained.Message)
		})
	}
}

// Another manager fills the object: the texts of this library are shortened until it fits into etcd.
func TestTextsFitIntoAnObjectThatOthersFill(t *testing.T) {
	w := newTestNode(t, "limit-filled")
	w.reportUpdated()
	var theirs []string
	for i := range 45 {
		theirs = append(theirs, fmt.Sprintf(`{"name":"theirs-%d","desiredGeneration":1,"lastFailedGeneration":1,"lastFailedGenerationError":%q}`, i, strings.Repeat("t", 32_000)))
	}
	w.applyImageSet(strings.Join(theirs, ","))
	m, _ := w.monitor("worker")
	long := strings.Repeat("m", 32_000)
	for _, p := range phases.All(false) {
		if p != phases.Updated {
			require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), p, "Long", long, done), p)
		}
	}
	assert.Len(t, w.object().Status.PinnedImageSets, len(theirs))
	degraded, _ := statusOf(w.object().Status.Conditions, "NodeDegraded")
	assert.NotEmpty(t, degraded.Message)
}
