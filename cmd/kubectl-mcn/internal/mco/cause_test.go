package mco_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/mco"
	"github.com/openshift/upgrademonitor/phases"
)

// Messages that machine-config-operator's drain controller and daemon write. They contain errors of kubectl's drain.
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

func TestTheCauseIsTheErrorWithoutItsWrappers(t *testing.T) {
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
		"a drain has failed for one hour, and an attempt is running": {append(drain(draining), degraded(afterAnHour)), afterAnHourIs, false, nil},
		"several pods": {
			drain(drainFailed + "[" + evictPG0 + ", " + waitForVM + ", " + evictPG1 + "]" + untilDrainer),
			"[" + evictPG0 + ", " + waitForVM + ", " + evictPG1 + "]", true, []mco.Pod{refused("pg-0"), vm, refused("pg-1")},
		},
		"a drain whose error only its parent has": {append(drain(draining), is(phases.UpdateExecuted, running, 61, drainFailed+evictPG0+untilDrainer)), evictPG0, true, []mco.Pod{refused("pg-0")}},
		"a drain error without a pod":             {drain(drainFailed + "boom" + untilDrainer), "boom", true, nil},
		"a drain error that is truncated":         {drain(drainFailed + evictPG0), evictPG0, true, []mco.Pod{refused("pg-0")}},
		"only NodeDegraded has the drain error":   {append(drain(draining), degraded("failed to drain node: "+evictPG0)), "failed to drain node: " + evictPG0, false, []mco.Pod{refused("pg-0")}},
		"a step that failed in an earlier update": {[]func(*mcfgv1.MachineConfigNode){withDesired(configB), is(phases.Updated, no, 1), is(phases.UpdatePrepared, running, 2, "Preparing"), is(phases.Drained, no, 1, "Action during update to rendered-worker-aaa: Error: Draining: no quorum")}, "Preparing", false, nil},
		"a parent failed in an earlier update":    {[]func(*mcfgv1.MachineConfigNode){withDesired(configB), is(phases.Updated, no, 2), is(phases.UpdatePrepared, running, 2, "Preparing"), is(phases.UpdateExecuted, no, 1, "Action during update to rendered-worker-aaa: Error: Updating node: no quorum")}, "Preparing", false, nil},
		"a step at a restart, after an update":    {[]func(*mcfgv1.MachineConfigNode){is(phases.Updated, yes, 9), is(phases.Resumed, no, 8, "Action during update to rendered-worker-aaa: Error: Resuming: no clock")}, "Error: Resuming: no clock", true, nil},
		"a config that cannot be reconciled":      {[]func(*mcfgv1.MachineConfigNode){withDesired(configB), is(phases.Updated, no, 1), is(phases.UpdatePrepared, running, 4, "Update Failed compatibility validation. MachineConfigs a and b are not compatible. Err: x")}, "Update Failed compatibility validation. MachineConfigs a and b are not compatible. Err: x", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			n := mco.Of(nil, mcn(tc.changes...))
			assert.Equal(t, tc.message, n.Message)
			assert.Equal(t, tc.failing, n.Failing)
			assert.Equal(t, tc.pods, n.Pods)
		})
	}
}

// knownErrors are messages without the prefix "Error: " that the command recognizes as errors by their words.
var knownErrors = []string{
	"timeout", "exit status 1", "context deadline exceeded", "unexpected EOF", "signal: killed", "open /etc/a: permission denied", evictPG0,
	"Draining node: context canceled", "Draining node failed", "Failed to drain node", "Could not drain node", "Update failed applying files",
	`Post "https://api/x?timeout=32s": dial tcp 10.0.0.1:6443: connect: no route to host`, "Drain of node: the server is currently unable to handle the request",
	`nodes "worker-0" is forbidden: User "x" cannot get resource`, "read tcp 10.0.0.1: connection reset by peer", "remount: read-only file system",
	"Error when the drain began", "Cannot drain node", "Unable to drain node", "Drain failed: x", "Drain failed; x", "Drain failed, x", "Drain failed. x", "Drain failed to x", "Drain failed with x", "Drain failed because x",
	"Pulling: 1 error", "Pulling: 2 errors", "Pulling: it failed again", "Pulling: one failure", "Pulling: timed out", "Pulling: cannot x", "Pulling: could not x", "Pulling: unable to x", "Pulling: denied",
	"Pulling: unauthorized", "Pulling: manifest invalid", "Pulling: manifest not found", "dial tcp: connection refused", "dial tcp: no route to host", "dial tcp: host is unreachable", "write tcp: broken pipe",
	"open /etc/a: no such file", "write /etc/a: no space left on device", "mkdir /etc/a: it already exists", "chown /etc/a: operation not permitted", "tls: the certificate has expired", "x509: unknown authority", "Evicting: no endpoints",
}

// noErrors are messages that say what a running step does.
var noErrors = []string{
	"Draining node", "Draining node, timeout 1h", "Deleting failed pods", "Draining node. Errors of Pods without a controller are ignored", "Upgrade requires a reboot.",
	"Update Compatible. Post Cfg Actions: [] Drain Required: true", "Waiting for timeout of grace period", "Pulling OS image quay.io/x@sha256:ab from registry",
	"Applying files and new OS config to node. OS will need an update. SSH Keys will need an update", "In desired config rendered-worker-1. Resumed normal operations.",
	"Node Drain Not required for this update.", "Removing files that are not found in the new config", "Renewing expired certificates",
}

// The words of the message tell whether a running step is failing.
func TestTheWordsOfAMessageTellWhetherAStepIsFailing(t *testing.T) {
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

// The daemon reports a failed pull with the status False, without a prefix.
func TestAnImageThatCannotBePulledIsAFailure(t *testing.T) {
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
	assert.Equal(t, notPulled, n.Message, "the message of the node is the message of its step")
}

// The condition UpdateCompatible, which only objects of 4.15 to 4.18 have, is read, too.
func TestV1alpha1ObjectsAreRead(t *testing.T) {
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

// An error is old if a step has changed since the time of NodeDegraded. The state annotation does not matter.
func TestAnErrorIsOldIfAStepHasChangedSince(t *testing.T) {
	degraded := func(text string) func(*mcfgv1.MachineConfigNode) { return is(phases.NodeDegraded, yes, 63, text) }
	update := func(steps ...func(*mcfgv1.MachineConfigNode)) *mcfgv1.MachineConfigNode {
		return mcn(append([]func(*mcfgv1.MachineConfigNode){withDesired(configB), is(phases.Updated, no, 1), is(phases.UpdatePrepared, yes, 2), is(phases.Cordoned, yes, 3)}, steps...)...)
	}
	const stillDraining = "Draining node"
	for name, tc := range map[string]struct {
		object  *mcfgv1.MachineConfigNode
		step    phases.Phase
		since   float64
		message string
		isOld   bool
	}{
		"a step failed in the same second as NodeDegraded": {update(is(phases.Drained, yes, 4), is(phases.AppliedFilesAndOS, running, 63), degraded("disk full")), phases.AppliedFilesAndOS, 4, "disk full", false},
		"the drain is retried, and fails":                  {update(is(phases.Drained, running, 70, drainFailed+evictPG0), degraded(afterAnHour)), phases.Drained, 3, evictPG0, false},
		"the drain has succeeded since":                    {update(is(phases.Drained, yes, 63), degraded(afterAnHour)), phases.AppliedFilesAndOS, 63, afterAnHourIs, true},
		"another drain has begun since":                    {update(is(phases.Drained, running, 70, stillDraining), is(phases.AppliedFilesAndOS, running, 5), degraded("disk full")), phases.Drained, 70, "disk full", true},
		"a later step failed in the attempt before":        {update(is(phases.Drained, running, 70, stillDraining), is(phases.AppliedFilesAndOS, no, 5, "Error: disk full")), phases.Drained, 70, stillDraining, false},
		"pinned image sets are pulled since":               {update(is(phases.Drained, yes, 4), is(phases.AppliedFilesAndOS, running, 5), is(phases.PinnedImageSetsProgressing, yes, 70), degraded("disk full")), phases.AppliedFilesAndOS, 4, "disk full", false},
		"a failure of another update":                      {update(is(phases.Drained, yes, 4), is(phases.AppliedFilesAndOS, running, 5), degraded("Action during update to a: disk full")), phases.AppliedFilesAndOS, 4, "disk full", true},
	} {
		for _, state := range []string{"Working", "Degraded"} {
			n := mco.Of(newNode("state", state, "currentConfig", configA, "desiredConfig", configB), tc.object)
			assert.Equal(t, tc.step, n.Step, name)
			assert.Equal(t, at(tc.since), n.Since, name)
			assert.Equal(t, tc.message, n.Message, name)
			assert.Equal(t, tc.isOld, n.IsOld, name)
			isRunning := func(s mco.Step) bool { return s.State == mco.Running && s.Phase != n.Step }
			assert.False(t, slices.ContainsFunc(n.Steps, isRunning), "only one step is running: "+name)
		}
	}
	evicting := degraded("failed to drain node (5 tries): timed out waiting for the condition: " + evictPG0)
	assert.Len(t, mco.Of(nil, update(is(phases.Drained, running, 70, stillDraining), evicting)).Pods, 1, "while a drain is retried, the pods of the last attempt are shown")
	assert.Empty(t, mco.Of(nil, update(is(phases.Drained, yes, 70), is(phases.AppliedFilesAndOS, running, 71), evicting)).Pods, "without a running drain, no pods are shown")
	ended := update(is(phases.Drained, yes, 70), is(phases.RebootedNode, yes, 75), degraded(afterAnHour))
	behind := mco.Of(newNode("state", "Done", "currentConfig", configB, "desiredConfig", configB, "desiredDrain", "uncordon-"+configB, "lastAppliedDrain", "uncordon-"+configB), ended)
	assert.True(t, behind.IsOld && !behind.InUpdate(), "a failure in the object is old if the annotations show that the update is complete")
	n := mco.Of(newNode("state", "Degraded", "reason", "disk full", "currentConfig", configA, "desiredConfig", configB), update(is(phases.Drained, running, 70), is(phases.NodeDegraded, no, 60, "Action during update to a: disk full")))
	assert.False(t, n.IsOld, "an error in the annotations has no time, so it is not old")
	assert.False(t, mco.Of(nil, mcn(is(phases.Updated, yes, 1), degraded(drift), is(phases.Resumed, yes, 70))).IsOld, "a restart of the daemon does not end a drift")
	for applied, isOld := range map[string]bool{"drain-" + configB: true, "uncordon-" + configA: false} {
		n = mco.Of(newNode("state", "Degraded", "reason", afterAnHourIs, "currentConfig", configA, "desiredConfig", configB, "desiredDrain", "drain-"+configB, "lastAppliedDrain", applied), nil)
		assert.Equal(t, isOld, n.IsOld, "without an object, the annotations say whether the drain is over")
	}
}

// If a parent fails before its next child begins, the parent is the step of the node.
func TestAParentThatFailsIsTheStep(t *testing.T) {
	const cause = "Error: Updating node: no quorum"
	for name, tc := range map[string]struct {
		steps []func(*mcfgv1.MachineConfigNode)
		step  phases.Phase
	}{
		"the parent fails before the first child":      {[]func(*mcfgv1.MachineConfigNode){is(phases.UpdateExecuted, running, 3, cause)}, phases.UpdateExecuted},
		"the parent fails between two children":        {[]func(*mcfgv1.MachineConfigNode){is(phases.Cordoned, yes, 3), is(phases.Drained, yes, 4), is(phases.UpdateExecuted, running, 3, cause)}, phases.UpdateExecuted},
		"a child is running":                           {[]func(*mcfgv1.MachineConfigNode){is(phases.UpdateExecuted, running, 3, cause), is(phases.Cordoned, running, 4, "Cordoning")}, phases.Cordoned},
		"the parent has the error of a finished drain": {[]func(*mcfgv1.MachineConfigNode){is(phases.UpdateExecuted, running, 3, denied), is(phases.Cordoned, yes, 3), is(phases.Drained, yes, 4), is(phases.AppliedFilesAndOS, running, 5, "Applying files")}, phases.AppliedFilesAndOS},
		"a finished drain, and no pod is named":        {[]func(*mcfgv1.MachineConfigNode){is(phases.UpdateExecuted, running, 3, drainFailed+"context deadline exceeded"), is(phases.Drained, yes, 4), is(phases.AppliedFilesAndOS, running, 5, "Applying files")}, phases.AppliedFilesAndOS},
		"a finished drain, given up by the daemon":     {[]func(*mcfgv1.MachineConfigNode){is(phases.UpdateExecuted, running, 3, afterAnHourIs), is(phases.Drained, yes, 4), is(phases.AppliedFilesAndOS, running, 5, "Applying files")}, phases.AppliedFilesAndOS},
	} {
		n := mco.Of(nil, mcn(append(tc.steps, withDesired(configB), is(phases.Updated, no, 1), is(phases.UpdatePrepared, yes, 2))...))
		checkNode(t, n)
		assert.Equal(t, tc.step, n.Step, name)
		isOver := name == "the message of the parent is not an error" || strings.Contains(name, "finished drain")
		assert.Equal(t, !isOver, n.Message == cause && n.Failing, name)
		assert.Equal(t, !isOver, n.Failing, name)
	}
}

func TestNamesInDrainErrorsAreThoseOfPods(t *testing.T) {
	pod := func(name string) mco.Pod { return mco.Pod{Namespace: "shop", Name: name} }
	refused := mco.Pod{Namespace: "shop", Name: "a", Refused: true}
	for text, want := range map[string][]mco.Pod{
		"cannot delete Pods declare no controller (use --force to override): shop/a":                                     {pod("a")},
		"cannot delete Pods that declare no controller (use --force to override): shop/a, shop/b":                        {pod("a"), pod("b")},
		"[cannot delete Pods with local storage (use --delete-emptydir-data to override): shop/a, " + evictPG0 + "]":     {pod("a"), {Namespace: "db", Name: "pg-0", Refused: true}},
		"cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): shop/a, shop/b and no more":           {pod("a"), pod("b")},
		`error when deleting pod "a" in namespace "shop": Internal error`:                                                {pod("a")},
		`error when evicting pods/"a" -n "shop": This pod has more than one PodDisruptionBudget, which is not supported`: {{Namespace: "shop", Name: "a", Refused: true, HasSeveral: true}},
		`error when evicting pods/"a" -n "shop": no endpoints available for service "guard"`:                             {pod("a")},
		"evict pod shop/a: Cannot evict pod as it would violate the pod's disruption budget.":                            {refused},
		`evicting pod "shop/a" timed out`: {pod("a")},
		"delete pod shop/a: conflict":     {pod("a")},
		"deleting pod shop/a: conflict":   {pod("a")},
		"cannot delete the file: /etc/a":  nil,
	} {
		m := mcn(withDesired(configB), is(phases.Updated, no, 1), is(phases.Cordoned, yes, 2), is(phases.Drained, running, 3, drainFailed+text))
		assert.Equal(t, want, mco.Of(nil, m).Pods, text)
	}
	for _, prefix := range []string{drainFailed, "Error: Draining node: ", "Error: Draining: ", "Error: " + draining + ": "} {
		m := mcn(withDesired(configB), is(phases.Updated, no, 1), is(phases.Drained, running, 3, prefix+evictPG0))
		assert.Equal(t, evictPG0, mco.Of(nil, m).Message)
	}
	assert.Equal(t, "error: x", mco.Plain("\x1b[0m\x1b[31merror: \x1b[0m\\x1b[1;31m\u009b1mx\\u001b[m\\033[0m\\e[1m"), "Plain removes color codes, also those whose escape character is written as text")
}

// If the annotations show that the update is complete before the object does, the update still has a time of its end.
func TestAnUpdateThatTheObjectMissesHasAnEnd(t *testing.T) {
	behind := mcn(withDesired(configB), is(phases.Updated, no, 1), is(phases.Drained, yes, 4), is(phases.Uncordoned, running, 9), is(phases.RebootedNode, no, 10, "Action during update to a: rebooted"))
	behind.Status.ConfigImage.DesiredImage = "prepared"
	for name, tc := range map[string]struct {
		drain  string
		object *mcfgv1.MachineConfigNode
		ended  float64
	}{
		"the object is behind":     {"uncordon-" + configB, behind, 9},
		"the update is still open": {"drain-" + configB, behind, 0},
		"the object shows the end": {"uncordon-" + configB, mcn(withDesired(configB), is(phases.Updated, yes, 10), is(phases.Resumed, yes, 12)), 0},
	} {
		n := mco.Of(newNode("currentConfig", configB, "desiredConfig", configB, "state", "Done", "desiredDrain", tc.drain, "lastAppliedDrain", tc.drain), tc.object)
		want := at(tc.ended)
		if tc.ended == 0 {
			want = time.Time{}
		}
		assert.Equal(t, want, n.Ended, name)
		assert.Equal(t, n.InUpdate(), n.Towards().Image == "prepared", name)
	}
	node := newNode("currentConfig", configB, "desiredConfig", configB, "state", "Done")
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(at(8))}}
	assert.Equal(t, at(8), mco.Of(node, nil).Ended, "without an object, the update ended when the Node became Ready")
}

// A list of pods is summarized: the number, the first names of each namespace, and the reason once. Other errors are not.
func TestAListOfPodsIsSummarized(t *testing.T) {
	refuse := func(namespace, name string) string {
		return fmt.Sprintf("error when evicting pods/%q -n %q: global timeout reached: 1m30s", name, namespace)
	}
	wait := func(name string) string {
		return fmt.Sprintf(`error when waiting for pod %q in namespace "b" to terminate: context deadline exceeded`, name)
	}
	const several = ": This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
	for want, parts := range map[string][]string{
		"error when evicting 4 pods of a: global timeout reached: 1m30s: p, q, r, and 1 more":  {refuse("a", "p"), refuse("a", "q"), refuse("a", "r"), refuse("a", "s")},
		"error when evicting 3 pods: global timeout reached: 1m30s: 2 of a (p, r), 1 of b (q)": {refuse("a", "p"), refuse("b", "q"), refuse("a", "r")},
		"error when evicting 2 pods of a: global timeout reached: 1m30s: p, q; error when waiting for 2 pods of b to terminate: context deadline exceeded: r, s": {
			refuse("a", "p"), wait("r"), refuse("a", "q"), wait("s"),
		},
		"error when evicting 3 pods of a: global timeout reached: 1m30s: p, q, s; error when waiting for 1 pod of b to terminate: context deadline exceeded: r": {
			refuse("a", "p"), wait("r"), refuse("a", "q"), refuse("a", "s"),
		},
		"cannot delete Pods declare no controller (use --force to override): 3 pods of a: p, q, r": {"cannot delete Pods declare no controller (use --force to override): a/p, a/q, a/r"},
		"error when evicting 3 pods of a" + several + ": p, q, r":                                  {`error when evicting pods/"p" -n "a"` + several, `error when evicting pods/"q" -n "a"` + several, `error when evicting pods/"r" -n "a"` + several},
	} {
		assert.Equal(t, want, strings.Join(mco.Listed("["+strings.Join(parts, ", ")+"]"), "; "))
	}
	for name, text := range map[string]string{
		"two pods are as short as their summary": "[" + refuse("a", "p") + ", " + refuse("a", "q") + "]",
		"another error comes first":              "[no such host, " + refuse("a", "p") + ", " + refuse("a", "q") + ", " + refuse("a", "r") + "]",
		"each pod has another reason":            "[" + refuse("a", "p") + "x, " + refuse("a", "q") + "y, " + refuse("a", "r") + "z]",
		"no pod":                                 "context deadline exceeded",
	} {
		assert.Empty(t, mco.Listed(text), name)
	}
}
