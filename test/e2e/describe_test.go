package e2e

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor"
)

// describe returns the output of `kubectl describe` for the node's object, without times.
func (w *testNode) describe() string {
	w.t.Helper()
	out, err := standard.Kubectl(w.t.Context(), "describe", "machineconfignode", w.name)
	require.NoError(w.t, err)
	return regexp.MustCompile(`(?m)^    Last Transition Time:.*\n`).ReplaceAllString(out, "")
}

// The samples are those of the enhancement proposal: pinned image sets, a degraded node, and an
// updated one.
func TestDescribePrintsTheSamplesOfTheProposal(t *testing.T) {
	w := newTestNode(t, "ip-10-0-79-1.ec2.internal")
	w.reportUpdated()
	m, _ := w.monitor("worker")
	shows := func(name, blocks string) {
		t.Helper()
		got := w.describe()
		for _, block := range strings.Split(strings.TrimPrefix(blocks, "\n"), "...\n") {
			assert.Contains(t, got, block, name)
		}
	}

	failure := `failed to execute podman manifest inspect for "quay.io/rh-ee-ijanssen/machine-config-operator@sha256:65d3a308767b1773b6e3ead2ec1bcae499dde6ef085753d7e20e685f78841079": exit status 125`
	m.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "test-pinned", Generation: 2, Err: errors.New(failure)}}, nil)
	shows("a set that failed", `
    Message:               node is prefetching images: ip-10-0-79-1.ec2.internal
    Reason:                ImagePrefetch
    Status:                True
    Type:                  PinnedImageSetsProgressing
...
    Message:               One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details.
    Reason:                PrefetchFailed
    Status:                True
    Type:                  PinnedImageSetsDegraded
...
  Pinned Image Sets:
    Desired Generation:            2
    Last Failed Generation:        2
    Last Failed Generation Error:  `+failure+`
    Name:                          test-pinned
`)

	m.ReportPinnedImageSets(t.Context(), []upgrademonitor.PinnedImageSet{{Name: "test-pinned", Generation: 3, Done: true}}, nil)
	shows("a set that is done", `
    Message:               All pinned image sets complete
    Reason:                AsExpected
    Status:                False
    Type:                  PinnedImageSetsProgressing
...
    Message:               All is good
    Reason:                AsExpected
    Status:                False
    Type:                  PinnedImageSetsDegraded
...
  Pinned Image Sets:
    Current Generation:  3
    Desired Generation:  3
    Name:                test-pinned
`)

	w.annotate(oldConfig, newConfig)
	report := func(p phases.Phase, reason, message string, status metav1.ConditionStatus, opts ...upgrademonitor.ReportOption) {
		t.Helper()
		require.NoError(t, m.GenerateAndApplyMachineConfigNode(t.Context(), p, reason, message, status, opts...))
	}
	report(phases.Updated, "Updated", "Node ip-10-0-79-1.ec2.internal needs an update", no)
	report(phases.UpdatePrepared, "UpdatePrepared", "Update Compatible. Post Cfg Actions: [] Drain Required: true", done)
	report(phases.AppliedFilesAndOS, "UpdateExecutedAppliedFilesAndOS", "Applying files and new OS config to node. OS will not need an update. SSH Keys will not need an update", running,
		upgrademonitor.ParentMessage("Updating the Files and OS on disk as a part of the in progress phase"))
	m.ReportDegraded(t.Context(), errors.New("rename /home/.core1131580553 /home/core: file exists"))
	shows("a degraded node", `
    Message:               Update Compatible. Post Cfg Actions: [] Drain Required: true
    Reason:                UpdatePrepared
    Status:                True
    Type:                  UpdatePrepared
...
    Message:               Updating the Files and OS on disk as a part of the in progress phase
    Reason:                AppliedFilesAndOS
    Status:                Unknown
    Type:                  UpdateExecuted
...
    Message:               This node has not yet entered the UpdatePostActionComplete phase
    Reason:                NotYetOccurred
    Status:                False
    Type:                  UpdatePostActionComplete
...
    Message:               Node ip-10-0-79-1.ec2.internal needs an update
    Reason:                Updated
    Status:                False
    Type:                  Updated
...
    Message:               Node ip-10-0-79-1.ec2.internal upgrade failure. rename /home/.core1131580553 /home/core: file exists
    Reason:                NodeDegraded
    Status:                True
    Type:                  NodeDegraded
`)

	report(phases.Uncordoned, "UpdateCompleteUncordoned", "UnCordoned node. The node is reporting Unschedulable = false", done,
		upgrademonitor.CompletesParent(), upgrademonitor.ParentMessage("Uncordoned Node as part of completing upgrade phase"))
	w.annotate(newConfig, newConfig)
	report(phases.Updated, "Updated", "Node ip-10-0-79-1.ec2.internal Updated", done)
	m.ReportDegraded(t.Context(), nil)
	shows("an updated node", `
    Message:               Action during update to `+newConfig+`: Uncordoned Node as part of completing upgrade phase
    Reason:                Uncordoned
    Status:                False
    Type:                  UpdateComplete
...
    Message:               Node ip-10-0-79-1.ec2.internal Updated
    Reason:                Updated
    Status:                True
    Type:                  Updated
...
    Message:               Action during update to `+newConfig+`: UnCordoned node. The node is reporting Unschedulable = false
    Reason:                UpdateCompleteUncordoned
    Status:                False
    Type:                  Uncordoned
...
    Message:               Node ip-10-0-79-1.ec2.internal upgrade succeeded
    Reason:                NodeDegraded
    Status:                False
    Type:                  NodeDegraded
`)
}
