package command

import (
	encoding "encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/cluster"
	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/source"
	"github.com/openshift/upgrademonitor/phases"
)

// The entry of a pool that is not Updated says since when and why. It waits some minutes, because a pool is Updated a
// moment after its last node. A node without an object is done if its pool is Updated.
func TestAPoolThatIsNotUpdatedHasAnEntryAfterAWhile(t *testing.T) {
	t.Parallel()
	late := updatedPool("worker", newConfig)
	late.Status.Conditions[0].Status, late.Status.Conditions[0].Message = corev1.ConditionFalse, "a reason"
	done := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour))
	update(done, newConfig, now.Add(-24*time.Hour), "")
	late.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now.Add(time.Second - 2*time.Minute))
	got := execute(t, asList(t, late, done), "-f", "-").stdout
	assert.Contains(t, got, "\n~ pool worker: all nodes have the target; it waits for the status of the pool\n", "within two minutes of the last node, the pool is late and not wrong")
	assert.NotContains(t, got, "a reason", "the message of a condition that is about to change is not shown")
	cordoned := newKubeNode("worker-0")
	cordoned.Spec.Unschedulable = true
	assert.Regexp(t, `\n~ pool worker: .* not Updated since\n    14:14:06 \(119s\): worker-0 \(cordoned\)\n`, execute(t, asList(t, late, done, cordoned), "-f", "-").stdout)
	late.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now.Add(-2 * time.Minute))
	got = execute(t, asList(t, late, done), "-f", "-").stdout
	assert.Regexp(t, "\n"+`! pool worker: all nodes have the target, but the pool is not Updated since\n    14:14:05 \(2m\)\n`, got)
	assert.Contains(t, got, "\n    a reason\n    next: oc describe mcp worker\n")

	joined := newKubeNode("worker-0")
	joined.Labels = map[string]string{"node-role.kubernetes.io/worker": ""}
	pool := updatedPool("worker", newConfig)
	pool.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: joined.Labels}
	got = execute(t, asList(t, pool, joined), "node", "worker-0", "-f", "-").stdout
	assert.Contains(t, got, "worker-0 of pool worker: done")
	assert.Contains(t, got, "\nreported   no, there is no MachineConfigNode\n")
	assert.NotContains(t, got, "not updated to yet", "the pool is Updated, so the node is done")
}

func TestTheStepAndTheMessageDecideTheNextCommands(t *testing.T) {
	t.Parallel()
	refused := func(pod string) string {
		return fmt.Sprintf("error when evicting pods/%s: global timeout reached: 1m30s", pod)
	}
	for name, test := range map[string]struct {
		step           phases.Phase
		degraded, says string // the messages of NodeDegraded and of the step
		want           []string
	}{
		"the node does not come back":       {phases.RebootedNode, "", "", []string{"oc describe node worker-0"}},
		"the daemon fails after a reboot":   {phases.RebootedNode, "disk full", "", []string{"get pods -o wide", "logs -c machine-config-daemon"}},
		"a pod whose name is invalid":       {phases.Drained, "", refused(`"$(reboot)" -n "shop"`), nil},
		"a namespace whose name is invalid": {phases.Drained, "", refused(`"a" -n "$(reboot)"`), nil},
	} {
		n := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour))
		at := update(n, newConfig, now.Add(-2*time.Hour), test.step)
		if test.degraded != "" {
			setCondition(n, phases.NodeDegraded, time.Hour, "Node worker-0 upgrade failure. "+test.degraded)
		}
		if test.says != "" {
			report(n, test.step, metav1.ConditionUnknown, at, test.says)
		}
		got := execute(t, asList(t, newPool("worker", newConfig), n), "-f", "-").stdout
		assert.Equal(t, len(test.want), strings.Count(got, "    next: "), "%s: %s", name, got)
		for _, want := range test.want {
			assert.Contains(t, got, want, name)
		}
	}
	draining := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour)) // the object has no condition NodeDegraded
	update(draining, newConfig, now.Add(-5*time.Minute), phases.Drained)
	for message, want := range map[string]string{"Please see machine-config-controller logs for more information": "deploy/machine-config-controller", "disk full": "spec.nodeName=worker-0"} {
		p := with(newPool("worker", newConfig), "NodeDegraded", time.Hour, `Node worker-0 is reporting: "`+message+`"`)
		assert.Regexp(t, `\n! pool worker: NodeDegraded since .*\n(    .*\n)+    next: oc -n openshift-machine-config-operator logs .*`+want, execute(t, asList(t, p, draining), "-f", "-").stdout)
		assert.Contains(t, execute(t, asList(t, p, draining), "node", "worker-0", "-f", "-").stdout, "\n! pool worker: NodeDegraded since ", "the screen of a node has the pool's entry that names the node")
	}
	other := draining.DeepCopy()
	other.Name = "worker-1"
	p := with(newPool("worker", newConfig), "NodeDegraded", time.Hour, `Node worker-0 is reporting: "disk full", Node worker-1 is reporting: "disk full"`)
	assert.Contains(t, execute(t, asList(t, p, draining, other), "node", "worker-1", "-f", "-").stdout, "spec.nodeName=worker-1)\n", "the command is for this node")
}

// The screen of a node says why the node waits, unless an entry of the screen says so.
func TestTheScreenOfANodeSaysWhyItWaits(t *testing.T) {
	t.Parallel()
	waiting := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour))
	degraded := waiting.DeepCopy()
	setCondition(degraded, phases.NodeDegraded, time.Hour, "disk full")
	empty := &mcfgv1.MachineConfigNode{TypeMeta: waiting.TypeMeta, ObjectMeta: metav1.ObjectMeta{Name: "worker-0", UID: "1"}}
	empty.Spec.Pool.Name = "worker"
	draining := newNode("worker-1", "worker", oldConfig, now.Add(-24*time.Hour))
	update(draining, newConfig, now.Add(-5*time.Minute), phases.Drained)
	paused := newPool("worker", newConfig)
	paused.Spec.Paused = true
	invalid := newPool("worker", newConfig)
	two := intstr.FromString("two")
	invalid.Spec.MaxUnavailable = &two
	cordoned := newKubeNode("worker-0")
	cordoned.Spec.Unschedulable = true
	const other = "\npool       " + newConfig + ", which the node is not updated to yet"
	for name, test := range map[string]struct {
		objects []runtime.Object
		want    string
	}{
		"the pool is full":                   {[]runtime.Object{newPool("worker", newConfig), waiting, draining}, other + ": 1 unavailable, maxUnavailable is 1: worker-1 (draining)\n"},
		"maxUnavailable is invalid":          {[]runtime.Object{invalid, waiting, draining}, other + "\n"},
		"the pool is not full":               {[]runtime.Object{newPool("worker", newConfig), waiting}, other + "\n"},
		"the pool is paused":                 {[]runtime.Object{paused, waiting, draining}, other + "\n"},
		"the image of the pool is not built": {[]runtime.Object{with(newPool("worker", newConfig), "Updating", time.Minute, "Pool is waiting for OS image build to complete (mosb: b)"), waiting, draining}, other + "\n"},
		"the node is degraded":               {[]runtime.Object{newPool("worker", newConfig), degraded, draining}, other + "\n"},
		"the node has no config":             {[]runtime.Object{newPool("worker", newConfig), empty}, "\nto         not known\npool       " + newConfig + "\nreported   no, the MachineConfigNode has no conditions\n"},
		"the pool is not known":              {[]runtime.Object{waiting}, "\nto         " + oldConfig + "\njoined "},
		"the node is cordoned":               {[]runtime.Object{newPool("worker", newConfig), waiting, cordoned, draining}, other + "\n"},
	} {
		got := executeAt(t, 200, asList(t, test.objects...), "node", "worker-0", "-f", "-").stdout
		assert.Contains(t, got, test.want, name)
		assert.NotContains(t, got, "STEP", name)
	}
	got := execute(t, asList(t, newPool("worker", newConfig), empty), "-f", "-").stdout
	assert.NotContains(t, got, "has not reported", "the Node is not known, so it may be new")

	all := append(doneNodes(1), paused, newNode("worker-9", "worker", oldConfig, now.Add(-24*time.Hour)))
	assert.Contains(t, execute(t, asList(t, all...), "node", "worker-9", "-f", "-").stdout, "\n~ pool worker: paused, ")
	assert.NotContains(t, execute(t, asList(t, all...), "node", "worker-0", "-f", "-").stdout, "paused", "a done node does not wait for a paused pool")

	timeless := newNode("worker-0", "worker", oldConfig, time.Time{})
	update(timeless, newConfig, time.Time{}, phases.UpdatePrepared)
	got = execute(t, asList(t, newPool("worker", newConfig), timeless), "node", "worker-0", "-f", "-").stdout
	assert.Contains(t, got, "\n> Preparing              running  -             -\n", "a step without a time has no duration")
}

// The daemon reports the end of an update late, so it may be after the request for the next one.
func TestTheScreenOfANodeDoesNotShowTheEndOfAnotherUpdate(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour))
	show := func() string {
		return execute(t, asList(t, newPool("worker", newConfig), n), "node", "worker-0", "-f", "-").stdout
	}
	assert.Regexp(t, `\njoined .*\n$`, show(), "no line about the Node")
	request(n, newConfig, now.Add(-42*time.Second))
	assert.Contains(t, show(), "\nrequested  2026-03-04 14:15:23 UTC, 42s ago\n")
	assert.NotContains(t, show(), "\njoined ")
	assert.NotContains(t, show(), "\ncompleted ")
}

func TestTheScreenOfANodeSaysAReasonOnce(t *testing.T) {
	t.Parallel()
	down := newKubeNode("worker-4")
	down.Status.Conditions[0].Status, down.Status.Conditions[0].Message = corev1.ConditionUnknown, "Kubelet stopped posting node status."
	got := execute(t, asList(t, append(rollout(), down)...), "node", "worker-4", "-f", "-").stdout
	assert.Equal(t, 1, strings.Count(got, "Kubelet stopped posting node status."), got)
	done := doneNodes(1)[0].(*mcfgv1.MachineConfigNode)
	setCondition(done, phases.PinnedImageSetsDegraded, time.Hour, "no space left on device")
	down.Name, down.Status.Conditions[0].LastTransitionTime = done.Name, metav1.NewTime(now)
	got = execute(t, asList(t, updatedPool("worker", newConfig), done, down), "node", done.Name, "-f", "-").stdout
	assert.Contains(t, got, "\nmessage    Kubelet stopped posting node status.\n", "its only entry is about another problem")
}

// The sets of a node share an entry if their errors are the same. A set may have no name.
func TestSetsWithTheSameErrorShareAnEntry(t *testing.T) {
	t.Parallel()
	n := doneNodes(1)[0].(*mcfgv1.MachineConfigNode)
	setCondition(n, phases.PinnedImageSetsDegraded, time.Hour, "One or more PinnedImageSet is experiencing an error.")
	list := func() string { return asList(t, updatedPool("worker", newConfig), n) }
	assert.Contains(t, execute(t, list(), "-f", "-").stdout, "\n! worker-0: a pinned image set has failed since 13:16:05 (60m)\n")
	for _, set := range [][2]string{{"a", "disk full"}, {"b", "no such host"}, {"c", "disk full"}, {"d", "no such host"}} {
		n.Status.PinnedImageSets = append(n.Status.PinnedImageSets, mcfgv1.MachineConfigNodeStatusPinnedImageSet{
			Name: set[0], DesiredGeneration: 1, LastFailedGeneration: 1, LastFailedGenerationError: set[1]})
	}
	got := execute(t, list(), "-f", "-").stdout
	assert.Contains(t, got, "\n! worker-0: pinned image sets a, c have failed since 13:16:05 (60m)\n    disk full\n")
	assert.Contains(t, got, "\n! worker-0: pinned image sets b, d have failed since 13:16:05 (60m)\n    no such host\n")
}

func TestTheNewerOfTwoObjectsIsShown(t *testing.T) {
	t.Parallel()
	running, paused := newPool("worker", newConfig), newPool("worker", newConfig)
	running.Status.Conditions[0].LastTransitionTime, paused.Spec.Paused = metav1.NewTime(now.Add(-time.Hour)), true
	ready, cordoned := newKubeNode("worker-0"), newKubeNode("worker-0")
	ready.Status.Conditions[0].LastHeartbeatTime, cordoned.Status.Conditions[0].LastHeartbeatTime = metav1.NewTime(now.Add(-time.Hour)), metav1.NewTime(now)
	cordoned.Spec.Unschedulable = true
	n := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour))
	for want, objects := range map[string][]runtime.Object{"  paused\n": {running, paused, n}, "worker-0 (cordoned)": {running, n, ready, cordoned}} {
		assert.Contains(t, execute(t, asList(t, objects...), "-f", "-").stdout, want)
		slices.Reverse(objects)
		assert.Contains(t, execute(t, asList(t, objects...), "-f", "-").stdout, want)
	}
}

// An arbiter is not updated while a node of the pool master is unavailable, or can be updated.
func TestAnArbiterWaitsForMastersThatAreUnavailableOrCanBeUpdated(t *testing.T) {
	t.Parallel()
	master, arbiter := newPool("master", "rendered-master-2"), newPool("arbiter", "rendered-arbiter-2")
	cordoned := newKubeNode("m-0")
	cordoned.Spec.Unschedulable, master.Spec.Paused = true, true
	objects := []runtime.Object{master, arbiter, newNode("m-0", "master", "rendered-master-1", now), newNode("a-0", "arbiter", "rendered-arbiter-1", now), cordoned}
	got := execute(t, asList(t, objects...), "-f", "-").stdout
	assert.Contains(t, got, "~ pool arbiter: waits until no node of pool master is unavailable: m-0\n    (cordoned)\n", "in a paused pool, no master can be updated")
	master.Spec.Paused = false
	assert.Contains(t, execute(t, asList(t, objects...), "-f", "-").stdout, "no node of pool master is unavailable or can be\n    updated\n", "the entry of the pool master names the node")
}

// A waiting node that is cordoned has an entry as soon as another node is updated first, unless the pool is paused. Nodes
// with the same entry have a command each that uncordons them.
func TestACordonedNodeThatIsPassedHasAnEntry(t *testing.T) {
	t.Parallel()
	three, four := intstr.FromInt32(3), intstr.FromInt32(4)
	pool, cordoned := newPool("worker", newConfig), newKubeNode("worker-0")
	pool.Spec.MaxUnavailable, cordoned.Spec.Unschedulable = &three, true
	waiting, other := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour)), newNode("worker-1", "worker", oldConfig, now.Add(-24*time.Hour))
	assert.NotContains(t, execute(t, asList(t, pool, waiting, cordoned, other), "-f", "-").stdout, "not selected")
	update(other, newConfig, now.Add(-time.Minute), phases.Drained)
	assert.Contains(t, execute(t, asList(t, pool, waiting, cordoned, other), "-f", "-").stdout, "\n~ worker-0: waits, and is not selected: cordoned\n    next: oc adm uncordon worker-0\n")
	same := newKubeNode("worker-4")
	pool.Spec.MaxUnavailable, same.Spec.Unschedulable = &four, true
	assert.Contains(t, execute(t, asList(t, pool, waiting, cordoned, other, newNode("worker-4", "worker", oldConfig, now.Add(-24*time.Hour)), same), "-f", "-").stdout, "not selected: cordoned\n    next: oc adm uncordon worker-0\n    next: oc adm uncordon worker-4\n    the same: worker-4\n")
	two, next := intstr.FromInt32(2), newNode("worker-3", "worker", oldConfig, now.Add(-24*time.Hour))
	pool.Spec.MaxUnavailable = &two
	assert.Contains(t, execute(t, asList(t, pool, waiting, cordoned, other), "-f", "-").stdout, "\n~ worker-0: waits, and is not selected: cordoned\n", "it holds back no other node")
	assert.Contains(t, execute(t, asList(t, pool, waiting, cordoned, other, next), "-f", "-").stdout, "\n~ pool worker: maxUnavailable holds back 1 waiting node, 2 of 2 unavailable:\n", "the cordoned node holds back the other one")
	third := newNode("worker-4", "worker", oldConfig, now.Add(-24*time.Hour))
	assert.Contains(t, execute(t, asList(t, pool, waiting, cordoned, other, next, third), "-f", "-").stdout, "\n~ pool worker: maxUnavailable holds back 2 waiting nodes, 2 of 2 unavailable:\n", "the node that is updated does not wait")
	pool.Spec.MaxUnavailable, pool.Spec.Paused = &three, true
	got := execute(t, asList(t, pool, waiting, cordoned, next, newNode("worker-4", "worker", newConfig, now.Add(-24*time.Hour)), same), "-f", "-").stdout
	assert.NotContains(t, got, "not selected")
	assert.Contains(t, got, " 2 nodes waiting,\n    worker-0 (cordoned), worker-4 (cordoned)\n", "the second one is done")
	pool.Spec.Paused = false

	degraded, notReady := newNode("worker-2", "worker", oldConfig, now.Add(-24*time.Hour)), newKubeNode("worker-2")
	setCondition(degraded, phases.NodeDegraded, time.Hour, "disk full")
	notReady.Status.Conditions[0].Status = corev1.ConditionUnknown
	pool.Spec.MaxUnavailable = nil
	got = executeAt(t, 100, asList(t, pool, waiting, cordoned, degraded, notReady), "-f", "-").stdout
	assert.Contains(t, got, ": worker-0 (cordoned), worker-2 (degraded)\n    next: oc adm uncordon worker-0\n\n! worker-2: ", "the degraded node has its own entry")
}

// An entry counts nodes with the same cause, and has three of their names and commands. With -o wide, it has all. The row of
// a waiting node does not have the times of its last update.
func TestAnEntryCountsNodesWithTheSameCause(t *testing.T) {
	t.Parallel()
	all := append([]runtime.Object{newPool("worker", "rendered-worker-33333333")}, doneNodes(12)...)
	for _, n := range all[1:] {
		cordoned := newKubeNode(n.(*mcfgv1.MachineConfigNode).Name)
		cordoned.Spec.Unschedulable = true
		all = append(all, cordoned)
	}
	for format, want := range map[string][3]int{"wide": {0, 12, 12}, "": {1, 3, 0}} {
		got := execute(t, asList(t, all...), "-f", "-", "-o", format).stdout
		counts := [3]int{strings.Count(got, "and 9 more"), strings.Count(got, "    next: oc adm uncordon worker-"), strings.Count(got, "Waiting, cordoned      -      -\n")}
		assert.Equal(t, want, counts, got)
		assert.Contains(t, strings.Join(strings.Fields(got), " "), "12 nodes cordoned (worker-0, worker-1, worker-10, ")
	}
	got := execute(t, asList(t, all...), "node", "worker-1", "-f", "-").stdout
	assert.Contains(t, got, "\n    next: oc adm uncordon worker-1\n")
	assert.Equal(t, 1, strings.Count(got, "next: "), "the screen of a node has no commands of other nodes")
	for _, args := range []string{"-f - -o json", "node worker-1 -f - -o json"} {
		got := execute(t, asList(t, all...), strings.Fields(args)...).stdout
		assert.Contains(t, got, "worker-8, worker-9)")
		assert.NotContains(t, got, "-o wide")
	}

	// The nodes are done, but one is degraded.
	setCondition(all[1].(*mcfgv1.MachineConfigNode), phases.NodeDegraded, time.Hour, "disk full")
	for _, o := range all[14:] {
		down := o.(*corev1.Node)
		down.Spec.Unschedulable = false
		down.Status.Conditions[0] = corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, LastTransitionTime: metav1.NewTime(now.Add(-time.Hour)), Message: "no status"}
	}
	all[0] = newPool("worker", newConfig)
	got = execute(t, asList(t, all...), "-f", "-").stdout
	assert.Contains(t, got, "\n~ worker-1: NotReady since 13:16:05\n    no status\n    next: oc describe node worker-1\n    the same: worker-10, worker-11, worker-2, ")
	assert.Equal(t, "2026-03-04T13:16:05Z", execute(t, asList(t, all...), "-f", "-", "-o", "jsonpath={.pools[0].entries[1].since}").stdout)

	// One of the nodes is cordoned as well.
	all[14].(*corev1.Node).Spec.Unschedulable = true
	got = execute(t, asList(t, all...), "-f", "-").stdout
	assert.Regexp(t, `\n~ worker-10: NotReady since 13:16:05\n    no status\n    next: oc describe node worker-10\n    the same: worker-11, .*\n.* worker-1\s\(cordoned\)\n`, got)
	assert.NotContains(t, got, "~ worker-1:")
	all[0] = newPool("worker", "rendered-worker-33333333")
	got = execute(t, asList(t, all...), "-f", "-").stdout
	assert.Contains(t, strings.Join(strings.Fields(got), " "), "11 nodes NotReady since 13:16:05 (worker-1, worker-10, worker-11, and 8 more) worker-1, worker-10, worker-11, and 8 more: no status next: oc describe node worker-1 !")
}

// A node that updates to a withdrawn config has an entry, and no row in the table. The line of its pool names the config.
func TestANodeThatUpdatesToAWithdrawnConfigHasAnEntry(t *testing.T) {
	t.Parallel()
	n := newNode("worker-0", "worker", oldConfig, now.Add(-24*time.Hour))
	update(n, "rendered-worker-33333333", now.Add(-5*time.Minute), phases.Drained)
	got := execute(t, asList(t, newPool("worker", newConfig), n), "-f", "-").stdout
	assert.Contains(t, got, "\n~ worker-0 ")
	assert.NotContains(t, got, "\n  worker-0 ")
	other := newNode("worker-1", "worker", oldConfig, now.Add(-24*time.Hour))
	update(other, newConfig, now.Add(-5*time.Minute), phases.Drained)
	other.Name = "a-worker"
	got = execute(t, asList(t, newPool("worker", newConfig), n, other), "-f", "-").stdout
	assert.Contains(t, got, "kubectl mcn node worker-0 shows details", "the legend names a node with an entry")
	assert.Contains(t, got, "- skipped, ~ does not stop the rollout")
	got = execute(t, asList(t, newPool("worker", newConfig), n), "node", "worker-0", "-f", "-").stdout
	assert.Contains(t, got, "\npool       "+newConfig+"; the node updates to another config\n")
	got = execute(t, asList(t, newPool("worker", newConfig), n), "wait", "-f", "-").stdout
	assert.Contains(t, got, "worker 0/1 to 22222222, 1 draining to 33333333\n")

	// The node desires its old config again. The daemon goes on with the update that it has prepared.
	n.Spec.ConfigVersion.Desired, n.Status.ConfigVersion.Desired = oldConfig, "rendered-worker-33333333"
	got = execute(t, asList(t, newPool("worker", newConfig), n), "node", "worker-0", "-f", "-").stdout
	assert.Contains(t, got, "\nto         rendered-worker-33333333\n")
	assert.NotContains(t, got, "\nrequested ", "the last request was to go back")
}

// The entry of a stuck node that is being deleted names the command for its Machine. A node that stays has another entry.
func TestANodeThatIsBeingDeletedHasItsOwnEntry(t *testing.T) {
	t.Parallel()
	got := execute(t, "", "-f", filepath.Join(real, "deleted-in-update.yaml"), "--at", "2026-11-28T09:13:25Z")
	assert.Contains(t, got.stdout, "being deleted\n    node is shutting down\n    next: oc describe node worker-0\n    next: oc get machines -n openshift-machine-api\n\n! worker-1  ")
	assert.Contains(t, got.stdout, "    next: oc describe node worker-1\n")
}

// The line of a pool counts the nodes at each step only if fewer than ten nodes are updating. The screen lists twenty
// nodes, and -o wide lists all.
func TestStepsAreCountedOnlyForFewNodes(t *testing.T) {
	t.Parallel()
	all := []runtime.Object{newPool("worker", newConfig)}
	for i := range 22 {
		n := newNode(fmt.Sprintf("worker-%d", i), "worker", oldConfig, now.Add(-24*time.Hour))
		update(n, newConfig, now.Add(-5*time.Minute), []phases.Phase{phases.RebootedNode, phases.Drained}[min(i, 1)])
		all = append(all, n)
	}
	assert.Contains(t, execute(t, asList(t, all[:10]...), "wait", "-f", "-").stdout, "worker 0/9 to 22222222, 8 draining, 1 rebooting\n")
	assert.Contains(t, execute(t, asList(t, all[:11]...), "wait", "-f", "-").stdout, "worker 0/10 to 22222222, 10 updating\n")
	got := execute(t, asList(t, all...), "-f", "-").stdout
	assert.Equal(t, 20, strings.Count(got, "\n  worker-"), got)
	assert.Contains(t, got, "\nworker: 21 draining, 1 rebooting\n")
	assert.Contains(t, got, "\n  ... and 2 more: -o wide lists all\n")
	assert.Equal(t, 22, strings.Count(execute(t, asList(t, all...), "-f", "-", "-o", "wide").stdout, "\n  worker-"))
}

// The objects of a good file are shown beside damaged files. A note names the first damaged file.
func TestDamagedFilesDoNotHideTheGoodFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{"a.json": "{", "b.json": asList(t, rollout()...), "c.json": "{"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	for _, args := range [][]string{{"-f", folder}, {"-f", folder + "/a.json", "-f", folder + "/b.json"}, {"-f", folder + "/b.json", "-f", folder + "/a.json"}} {
		got := execute(t, "", append(args, "--at", "now")...)
		assert.Zero(t, got.code)
		assert.Contains(t, got.stdout, "worker-4")
		assert.Regexp(t, `^kubectl mcn: a\.json is incomplete or damaged: use oc get .*; all other objects are shown\n$`, got.stderr)
	}
}

// wait measures --tolerate from the first view that has the problem, because some daemons change the time of a failure
// at each attempt.
func TestAProblemLastsSinceTheFirstViewWithIt(t *testing.T) {
	t.Parallel()
	c := &check{tolerate: 5 * time.Minute}
	for minutes, want := range []bool{0: false, 4: false, 5: true, 6: false, 10: false, 11: true} {
		at := now.Add(time.Duration(minutes) * time.Minute)
		n := newNode("worker-"+strconv.Itoa(minutes/6), "worker", newConfig, now.Add(-time.Hour)) // from minute 6 on, another node fails
		report(n, phases.NodeDegraded, metav1.ConditionTrue, at, "disk full")
		objects := cluster.Objects{Pools: []*mcfgv1.MachineConfigPool{newPool("worker", newConfig)}, Nodes: []cluster.Node{cluster.NewNode(nil, n)}}
		isOver, _ := c.decide(source.View{Time: at, Cluster: cluster.Of(objects, at)})
		assert.Equal(t, want, isOver, minutes)
	}
	c = &check{tolerate: 5 * time.Minute}
	for minutes, want := range []bool{0: false, 5: false, 10: true} { // from minute 5 on, another pool is paused
		p := newPool([]string{"infra", "worker"}[min(minutes/5, 1)], newConfig)
		p.Spec.Paused = true
		at := now.Add(time.Duration(minutes) * time.Minute)
		objects := cluster.Objects{Pools: []*mcfgv1.MachineConfigPool{p}, Nodes: []cluster.Node{cluster.NewNode(nil, newNode("a", p.Name, oldConfig, now))}}
		isOver, _ := c.decide(source.View{Time: at, Cluster: cluster.Of(objects, at)})
		assert.Equal(t, want, isOver, minutes)
	}
}

func TestEachFieldOfTheDocumentIsSet(t *testing.T) {
	t.Parallel()
	fields := sets.New[string]()
	var add func(value any)
	add = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, item := range value {
				add(item)
			}
		case map[string]any:
			for name, field := range value {
				if !slices.Contains([]any{"", false, 0.0, nil}, field) {
					fields.Insert(name)
				}
				add(field)
			}
		}
	}
	for _, c := range realCases(t) {
		var document map[string]any
		if got := c.execute(t, "-o", "json"); got.code == 0 {
			require.NoError(t, encoding.Unmarshal([]byte(got.stdout), &document))
			add(document)
		}
	}
	assert.Empty(t, jsonFields(reflect.TypeFor[documentPool]()).Difference(fields).UnsortedList())
}
