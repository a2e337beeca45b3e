package poolwords_test

import (
	"strings"
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/openshift/upgrademonitor/internal/poolwords"
)

// If the pool is not paused, the states Initial and Prepared have the same message.
func TestReadBuildIsTheReverseOfMessage(t *testing.T) {
	seen := map[string]mcfgv1.BuildProgress{}
	for _, state := range []mcfgv1.BuildProgress{poolwords.None, poolwords.Initial, mcfgv1.MachineOSBuildPrepared, mcfgv1.MachineOSBuilding,
		mcfgv1.MachineOSBuildSucceeded, mcfgv1.MachineOSBuildFailed, mcfgv1.MachineOSBuildInterrupted} {
		for _, isPaused := range []bool{false, true} {
			written := poolwords.BuildOf(state, isPaused)
			assert.Equal(t, state, written.State)
			assert.Equal(t, isPaused, written.IsPaused)
			message := written.Message("layered-1")
			read, name, ok := poolwords.ReadBuild(message)
			assert.True(t, ok, message)
			assert.Equal(t, "layered-1", name, message)
			assert.Equal(t, isPaused, strings.Contains(message, "Pool is paused; "), message)
			if state != mcfgv1.MachineOSBuildPrepared || isPaused {
				assert.NotContains(t, seen, message)
				assert.Equal(t, written, read)
			} else {
				assert.Equal(t, poolwords.Initial, read.State)
			}
			seen[message] = state
		}
	}
	assert.Len(t, seen, 13)
	for _, message := range []string{"", "Pool is paused; will not update to MachineConfig a", poolwords.Degraded, "Pool is waiting for OS image build to start (mosb: a). More",
		"Not: Pool is waiting for OS image build to start (mosb: a)"} {
		_, _, ok := poolwords.ReadBuild(message)
		assert.False(t, ok, message)
	}
}

func TestReadConfigAndReadImageAreTheReverseOfTarget(t *testing.T) {
	for _, image := range []string{"", "example.com/os@sha256:1"} {
		message := poolwords.AllUpdating + poolwords.Target("rendered-a.b-1", image) + ". 0 of 7 nodes have it."
		assert.Equal(t, "rendered-a.b-1", poolwords.ReadConfig(message))
	}
	assert.Empty(t, poolwords.ReadConfig(poolwords.AllUpdating+poolwords.Target("99-worker", "")), "it is not rendered")
	message := poolwords.AllUpdated + poolwords.Target("a", "example.com/os@sha256:1") + "."
	assert.Equal(t, "All nodes are updated with MachineConfig a / Image example.com/os@sha256:1.", message)
	assert.Equal(t, "example.com/os@sha256:1", poolwords.ReadImage(message, "a"))
	assert.Empty(t, poolwords.ReadImage(message, "b"), "the image of another config is not read")
	assert.Equal(t, "MachineConfig a", poolwords.Target("a", ""), "a target without an image has only a config")
	assert.Empty(t, poolwords.ReadImage(poolwords.Target("a", ""), "a"))
}

// ReadReports also reads a last entry that was truncated.
func TestReadReportsIsTheReverseOfString(t *testing.T) {
	reports := []poolwords.Report{{Node: "a", Message: `disk "full", \`}, {Node: "b", Message: "é\n\x1b\xff"}, {Node: "b", Message: `Node c is reporting: "x"`}}
	var texts []string
	for _, r := range reports {
		texts = append(texts, r.String())
	}
	message := strings.Join(texts, ", ")
	assert.Equal(t, reports, poolwords.ReadReports(message+" See oc describe machineconfignode/a"))
	assert.Equal(t, reports[:2], poolwords.ReadReports(message[:len(message)-1]))
	assert.Equal(t, []poolwords.Report{reports[0], {Node: "x", Message: `\q\"`}}, poolwords.ReadReports(texts[0]+`, Node x is reporting: "\q\""`))
	assert.Empty(t, poolwords.ReadReports("disk full"))
}

func TestWithoutAValidLimitOneNodeMayBeUnavailable(t *testing.T) {
	limit := func(text string) *intstr.IntOrString {
		value := intstr.Parse(text)
		return &value
	}
	got, err := poolwords.MaxUnavailable(nil, 30)
	require.NoError(t, err)
	assert.Equal(t, 1, got)
	for text, want := range map[string]int{"2": 2, "0": 1, "-1": 1, "10%": 3, "19%": 5, "1%": 1, "many": 1, "": 1} {
		got, err := poolwords.MaxUnavailable(limit(text), 30)
		assert.Equal(t, want, got, text)
		assert.Equal(t, text == "many" || text == "", err != nil, text)
	}
}
