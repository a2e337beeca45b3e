package mco_test

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
)

// The texts of machine-config-operator: of its drain controller, its daemon, and kubectl's drain in them.
const (
	drainFailed   = "Error: Node Drain has not succeeded. Error is: "
	untilDrainer  = " The drain will not be complete until desired drainer drain-rendered-worker-bbb matches current drainer uncordon-rendered-worker-aaa"
	draining      = "Draining node. The drain will not be complete until desired drainer drain-rendered-worker-bbb matches current drainer uncordon-rendered-worker-aaa"
	evictPG0      = `error when evicting pods/"pg-0" -n "db": global timeout reached: 1m30s`
	evictPG1      = `error when evicting pods/"pg-1" -n "db": global timeout reached: 1m30s`
	waitForVM     = `error when waiting for pod "virt-launcher-vm1-x7k2p" in namespace "vms" to terminate: global timeout reached: 1m30s`
	denied        = `error when evicting pods/"api-0" -n "shop": admission webhook "guard.example.com" denied the request: not now`
	afterAnHour   = "Node worker-0 upgrade failure. failed to drain node: worker-0 after 1 hour. Please see machine-config-controller logs for more information"
	afterAnHourIs = "failed to drain node: worker-0 after 1 hour. Please see machine-config-controller logs for more information"
	drift         = `Node worker-0 upgrade failure. unexpected on-disk state validating against rendered-worker-aaa: content mismatch for file "/etc/chrony.conf"`
	notPulled     = `Failed to pull OS image quay.io/os@sha256:ab from registry: failed to update OS to quay.io/os@sha256:ab after retries: unauthorized: authentication required`
)

func TestCause(t *testing.T) {
	refused := func(name string) mco.Pod { return mco.Pod{Namespace: "db", Name: name, Refused: true} }
	vm := mco.Pod{Namespace: "vms", Name: "virt-launcher-vm1-x7k2p"}
	drain := func(text string) []func(*mcfgv1.MachineConfigNode) {
		return []func(*mcfgv1.MachineConfigNode){withDesired(configB), is(phases.Updated, no, 1), is(phases.UpdatePrepared, yes, 2), is(phases.Cordoned, yes, 3), is(phases.Drained, running, 60, text)}
	}
	degraded := func(text string) func(*mcfgv1.MachineConfigNode) { return is(phases.NodeDegraded, yes, 63, text) }
	for name, tc := range map[string]struct {
		changes []func(*mcfgv1.MachineConfigNode)
		message string
		failing bool
		pods    []mco.Pod
	}{
		"an attempt is running":             {drain(draining), draining, false, nil},
		"a drain fails, first hour":         {drain(drainFailed + evictPG0 + untilDrainer), evictPG0, true, []mco.Pod{refused("pg-0")}},
		"a drain fails, after one hour":     {append(drain(drainFailed+evictPG0+untilDrainer), degraded(afterAnHour)), evictPG0, false, []mco.Pod{refused("pg-0")}},
		"after one hour, during an attempt": {append(drain(draining), degraded(afterAnHour)), afterAnHourIs, false, nil},
		"a pod that does not terminate":     {drain(drainFailed + waitForVM + untilDrainer), waitForVM, true, []mco.Pod{vm}},
		"several pods": {
			drain(drainFailed + "[" + evictPG0 + ", " + waitForVM + ", " + evictPG1 + "]" + untilDrainer),
			"[" + evictPG0 + ", " + waitForVM + ", " + evictPG1 + "]", true, []mco.Pod{refused("pg-0"), vm, refused("pg-1")},
		},
		"an eviction that a webhook denies":  {drain(drainFailed + denied + untilDrainer), denied, true, []mco.Pod{{Namespace: "shop", Name: "api-0"}}},
		"a drain error without a wrapper":    {drain(evictPG0), evictPG0, true, []mco.Pod{refused("pg-0")}},
		"a drain error without a pod":        {drain(drainFailed + "context deadline exceeded" + untilDrainer), "context deadline exceeded", true, nil},
		"a drain error that is cut off":      {drain(drainFailed + evictPG0), evictPG0, true, []mco.Pod{refused("pg-0")}},
		"degraded, for another cause":        {append(drain(drainFailed+evictPG0+untilDrainer), degraded("disk full")), "disk full", false, nil},
		"degraded by a drain, in its text":   {append(drain(draining), degraded("failed to drain node: "+evictPG0)), "failed to drain node: " + evictPG0, false, []mco.Pod{refused("pg-0")}},
		"drifted, not in an update":          {[]func(*mcfgv1.MachineConfigNode){is(phases.Updated, yes, 1), degraded(drift)}, drift[len("Node worker-0 upgrade failure. "):], false, nil},
		"degraded in an earlier update":      {append(drain(draining), degraded("Action during update to rendered-worker-aaa: Node worker-0 upgrade failure. disk full")), "disk full", false, nil},
		"files that cannot be written":       {[]func(*mcfgv1.MachineConfigNode){withDesired(configB), is(phases.Updated, no, 1), is(phases.AppliedFilesAndOS, running, 4, "Update failed applying files to node: no space left on device")}, "Update failed applying files to node: no space left on device", true, nil},
		"a config that cannot be reconciled": {[]func(*mcfgv1.MachineConfigNode){withDesired(configB), is(phases.Updated, no, 1), is(phases.UpdatePrepared, running, 4, "Update Failed compatibility validation. MachineConfigs a and b are not compatible. Err: x")}, "Update Failed compatibility validation. MachineConfigs a and b are not compatible. Err: x", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			n := mco.Of(nil, mcn(tc.changes...))
			assert.Equal(t, tc.message, n.Message)
			assert.Equal(t, tc.failing, n.Failing)
			assert.Equal(t, tc.pods, n.Pods)
		})
	}
}

// knownErrors are errors that the command knows by their words, without a beginning that says "Error: ".
var knownErrors = []string{
	"timeout", "exit status 1", "context deadline exceeded", "unexpected EOF", "signal: killed", "open /etc/a: permission denied", evictPG0,
	"Draining node: context canceled", "Draining node failed", "Failed to drain node", "Could not drain node", "Update failed applying files",
	`Post "https://api/x?timeout=32s": dial tcp 10.0.0.1:6443: connect: no route to host`, "Drain of node: the server is currently unable to handle the request",
	`nodes "worker-0" is forbidden: User "x" cannot get resource`, "read tcp 10.0.0.1: connection reset by peer", "remount: read-only file system",
}

// noErrors are messages of steps that are running.
var noErrors = []string{
	"Draining node", "Draining node, timeout 1h", "Deleting failed pods", "Draining node. Errors of Pods without a controller are ignored", "Upgrade requires a reboot.",
	"Update Compatible. Post Cfg Actions: [] Drain Required: true", "Waiting for timeout of grace period", "Pulling OS image quay.io/x@sha256:ab from registry",
	"Applying files and new OS config to node. OS will need an update. SSH Keys will need an update", "In desired config rendered-worker-1. Resumed normal operations.",
	"Node Drain Not required for this update.", "Removing files that are not found in the new config", "Renewing expired certificates",
}

// TestErrorsAreKnown: the message of a running step is an error, or says what the step does.
func TestErrorsAreKnown(t *testing.T) {
	isFailing := func(text string) bool {
		return mco.Of(nil, mcn(withDesired(configB), is(phases.Updated, no, 1), is(phases.Drained, running, 4, text))).Failing
	}
	for _, text := range knownErrors {
		assert.True(t, isFailing(text), text)
	}
	for _, text := range noErrors {
		assert.False(t, isFailing(text), text)
	}
}

// TestImageThatCannotBePulled: the daemon reports the failure with the status False.
func TestImageThatCannotBePulled(t *testing.T) {
	m := mcn(withDesired(configB), is(phases.Updated, no, 1))
	m.Status.Conditions = append(m.Status.Conditions,
		metav1.Condition{Type: string(phases.AppliedFiles), Status: yes, Reason: "AppliedFiles", LastTransitionTime: metav1.NewTime(at(2))},
		metav1.Condition{Type: string(phases.ImagePulledFromRegistry), Status: no, Reason: "ImagePulledFromRegistry", Message: notPulled, LastTransitionTime: metav1.NewTime(at(9))})
	n := mco.Of(nil, m)
	assert.Equal(t, phases.ImagePulledFromRegistry, n.Step)
	assert.Equal(t, notPulled, n.Message)
	assert.True(t, n.Failing)
	assert.Equal(t, mco.Failed, n.Steps[5].State)
	assert.Equal(t, notPulled, n.Steps[5].Message)

	is(phases.AppliedFiles, no, 8, "failed to write files")(m)
	n = mco.Of(nil, m)
	assert.Equal(t, mco.Failed, n.Steps[3].State)
	assert.Equal(t, phases.ImagePulledFromRegistry, n.Step)
	assert.Equal(t, notPulled, n.Message, "the message is that of the step")
}

// TestV1alpha1: objects of 4.15 to 4.18, with conditions that v1 does not have.
func TestV1alpha1(t *testing.T) {
	m := mcn(withDesired("NotYetSet"), is(phases.Updated, no, 1), is(phases.UpdatePrepared, running, 2, "Update is preparing"))
	m.Status.ConfigVersion.Desired = configB
	m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{
		Type: "UpdateCompatible", Status: running, Reason: "UpdatePreparedUpdateCompatible", Message: "Update Failed compatibility validation", LastTransitionTime: metav1.NewTime(at(2)),
	})
	n := mco.Of(nil, m)
	assert.Equal(t, target(configB), n.Desired)
	assert.Equal(t, phases.UpdatePrepared, n.Step)
	assert.Equal(t, "Update Failed compatibility validation", n.Message)

	m = mcn(withDesired(configB), is(phases.Updated, no, 1), is(phases.UpdatePostActionComplete, running, 2, "Post config action is running"))
	m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{
		Type: "ReloadedCRIO", Status: running, Reason: "ReloadedCRIO", Message: "Reloading CRI-O", LastTransitionTime: metav1.NewTime(at(2)),
	})
	n = mco.Of(nil, m)
	assert.Equal(t, phases.UpdatePostActionComplete, n.Step)
	assert.Equal(t, "Reloading CRI-O", n.Message)
}
